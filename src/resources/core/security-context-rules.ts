import { asJson, duplicate, type FieldError, invalidValue, notSupported, required, tooLong } from '../../api/index.ts';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../api/types/core/v1.d.ts';
import { nested, unversioned } from '../unversioned.ts';
import { checkDescendingPath } from './path-rules.ts';
import { checkWindowsOptions } from './windows-rules.ts';

const MAX_SYSCTL = 253;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_SHOWN = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const MAX_PROFILE_PATH = 4095;

const PROFILE = { Type: '', LocalhostProfile: null };
const CONTEXT = {
  Capabilities: nested({ Add: null, Drop: null }),
  Privileged: null,
  SELinuxOptions: nested({ User: '', Role: '', Type: '', Level: '' }),
  WindowsOptions: nested({
    GMSACredentialSpecName: null,
    GMSACredentialSpec: null,
    RunAsUserName: null,
    HostProcess: null,
  }),
  RunAsUser: null,
  RunAsGroup: null,
  RunAsNonRoot: null,
  ReadOnlyRootFilesystem: null,
  AllowPrivilegeEscalation: null,
  ProcMount: null,
  SeccompProfile: nested(PROFILE),
  AppArmorProfile: nested(PROFILE),
};

/** The rules of a pod's security context. */
export function checkPodSecurity(
  spec: PodSpec,
  field: string,
  { hadLabelPolicy = false }: { readonly hadLabelPolicy?: boolean },
): FieldError[] {
  const context: PodSecurityContext = spec.securityContext ?? {};
  const errors: FieldError[] = [];
  if (spec.hostPID === true && spec.shareProcessNamespace === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalidValue(`${field}.shareProcessNamespace`, true, detail));
  }
  return [
    ...checkId(context.fsGroup, `${field}.fsGroup`),
    ...checkId(context.runAsUser, `${field}.runAsUser`),
    ...checkId(context.runAsGroup, `${field}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((id, index) => checkId(id, `${field}.supplementalGroups[${index}]`)),
    ...errors,
    ...checkSysctls(context.sysctls ?? [], `${field}.sysctls`, spec),
    ...checkKnown(context.fsGroupChangePolicy, `${field}.fsGroupChangePolicy`, ['Always', 'OnRootMismatch']),
    ...checkSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    ...checkWindowsOptions(context.windowsOptions, `${field}.windowsOptions`),
    ...checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
    ...checkKnown(context.supplementalGroupsPolicy, `${field}.supplementalGroupsPolicy`, ['Merge', 'Strict']),
    ...checkKnown(
      context.seLinuxChangePolicy,
      `${field}.seLinuxChangePolicy`,
      hadLabelPolicy ? LABEL_POLICIES : NEW_LABEL_POLICIES,
    ),
  ];
}

const LABEL_POLICIES = ['MountOption', 'Recursive'];
/** Without the feature SELinuxMount. */
const NEW_LABEL_POLICIES = ['Recursive'];

const MAX_ID = 2_147_483_647;

/** The number of a user or group. */
function checkId(id: number | undefined, field: string): FieldError[] {
  if (id === undefined || (id >= 0 && id <= MAX_ID)) return [];
  return [invalidValue(field, id, `must be between 0 and ${MAX_ID}, inclusive`)];
}

function checkKnown(value: string | undefined, field: string, choices: readonly string[]): FieldError[] {
  return value === undefined || choices.includes(value) ? [] : [notSupported(field, asJson(value ?? ''), choices)];
}

export function checkContainerSecurity(
  context: SecurityContext | undefined,
  field: string,
  { hostUsers }: { readonly hostUsers: boolean },
): FieldError[] {
  if (context === undefined) return [];
  const errors = [
    ...checkId(context.runAsUser, `${field}.runAsUser`),
    ...checkId(context.runAsGroup, `${field}.runAsGroup`),
    ...checkKnown(context.procMount, `${field}.procMount`, ['Default', 'Unmasked']),
  ];
  if (hostUsers && context.procMount === 'Unmasked') {
    const detail = '`hostUsers` must be false to use `Unmasked`';
    errors.push(invalidValue(`${field}.procMount`, context.procMount, detail));
  }
  errors.push(...checkSeccomp(context.seccompProfile, `${field}.seccompProfile`));
  const cannot = 'cannot set `allowPrivilegeEscalation` to false and';
  if (context.allowPrivilegeEscalation === false) {
    const shown = unversioned(context, CONTEXT);
    if (context.privileged === true) errors.push(invalidValue(field, shown, `${cannot} \`privileged\` to true`));
    for (const capability of context.capabilities?.add ?? []) {
      if (capability !== 'CAP_SYS_ADMIN') continue;
      errors.push(invalidValue(field, shown, `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`));
    }
  }
  return [
    ...errors,
    ...checkWindowsOptions(context.windowsOptions, `${field}.windowsOptions`),
    ...checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
  ];
}

function checkSysctls(sysctls: readonly Sysctl[], field: string, pod: PodSpec): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name = '' }, index) => {
    const at = `${field}[${index}].name`;
    const isTaken = names.has(name);
    names.add(name);
    return [...checkSysctl(name, at, isTaken), ...checkSharedSysctl(name, at, pod)];
  });
}

function checkSysctl(name: string, field: string, isTaken: boolean): FieldError[] {
  if (name === '') return [required(field)];
  if (name.length > MAX_SYSCTL || !SYSCTL.test(name)) {
    return [invalidValue(field, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL_SHOWN}`)];
  }
  return isTaken ? [duplicate(field, name)] : [];
}

const IPC_SYSCTLS = new Set(['kernel.sem']);
const IPC_PREFIXES = ['kernel.shm', 'kernel.msg', 'fs.mqueue.'];

/** A setting of a namespace that the pod shares with its node would be one of the node. */
function checkSharedSysctl(name: string, field: string, { hostNetwork, hostIPC }: PodSpec): FieldError[] {
  const dotted = withDots(name);
  if (hostNetwork === true && dotted.startsWith('net.')) {
    return [invalidValue(field, name, "may not be specified when 'hostNetwork' is true")];
  }
  const isIpc = IPC_SYSCTLS.has(dotted) || IPC_PREFIXES.some((prefix) => dotted.startsWith(prefix));
  return hostIPC === true && isIpc ? [invalidValue(field, name, "may not be specified when 'hostIPC' is true")] : [];
}

/** The form with dots of a name whose first separator is a slash. */
function withDots(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}

function checkSeccomp(profile: SeccompProfile | undefined, field: string): FieldError[] {
  if (profile === undefined) return [];
  const { type = '', localhostProfile: path } = profile;
  const at = `${field}.localhostProfile`;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(`${field}.type`, asJson(type ?? ''), PROFILE_TYPES));
  if (type !== 'Localhost') {
    if (path === undefined) return errors;
    const detail = 'can only be set when seccomp type is Localhost';
    return [...errors, invalidValue(at, unversioned(profile, PROFILE), detail)];
  }
  if (path === undefined) return [required(at, 'must be set when seccomp type is Localhost')];
  return checkDescendingPath(path, at);
}

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function checkAppArmor(profile: AppArmorProfile | undefined, field: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile: path } = profile;
  const at = `${field}.localhostProfile`;
  if (type === 'RuntimeDefault' || type === 'Unconfined') {
    return path === undefined ? [] : [invalidValue(at, path, 'can only be set when AppArmor type is Localhost')];
  }
  if (type !== 'Localhost') {
    if (String(type ?? '') !== '') return [notSupported(`${field}.type`, asJson(type ?? ''), PROFILE_TYPES)];
    return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  }
  if (path === undefined) return [required(at, 'must be set when AppArmor type is Localhost')];
  const errors: FieldError[] = [];
  if (path.trim() !== path) errors.push(invalidValue(at, path, 'must not be padded with whitespace'));
  else if (path === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'));
  if (Buffer.byteLength(path) > MAX_PROFILE_PATH) errors.push(tooLong(at, MAX_PROFILE_PATH));
  return errors;
}
