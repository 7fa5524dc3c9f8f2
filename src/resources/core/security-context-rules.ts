import { duplicate, type FieldError, invalidValue, required, tooLong } from '../../api/index.ts';
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

const MAX_SYSCTL = 253;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_SHOWN = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const MAX_PROFILE_PATH = 4095;

const PROFILE = { Type: '', LocalhostProfile: null };
const CONTEXT = {
  Capabilities: nested({ Add: null, Drop: null }),
  Privileged: null,
  SELinuxOptions: nested({ User: '', Role: '', Type: '', Level: '' }),
  WindowsOptions: null,
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
export function checkPodSecurity(spec: PodSpec, field: string): FieldError[] {
  const context: PodSecurityContext = spec.securityContext ?? {};
  const errors: FieldError[] = [];
  if (spec.hostPID === true && spec.shareProcessNamespace === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalidValue(`${field}.shareProcessNamespace`, true, detail));
  }
  return [
    ...errors,
    ...checkSysctls(context.sysctls ?? [], `${field}.sysctls`),
    ...checkSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    ...checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
  ];
}

export function checkContainerSecurity(
  context: SecurityContext | undefined,
  field: string,
  { hostUsers }: { readonly hostUsers: boolean },
): FieldError[] {
  if (context === undefined) return [];
  const errors: FieldError[] = [];
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
  return [...errors, ...checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`)];
}

function checkSysctls(sysctls: readonly Sysctl[], field: string): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name }, index) => {
    const at = `${field}[${index}].name`;
    const isTaken = names.has(name);
    names.add(name);
    if ((name ?? '') === '') return [required(at)];
    if (name.length > MAX_SYSCTL || !SYSCTL.test(name)) {
      return [invalidValue(at, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL_SHOWN}`)];
    }
    return isTaken ? [duplicate(at, name)] : [];
  });
}

function checkSeccomp(profile: SeccompProfile | undefined, field: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile: path } = profile;
  const at = `${field}.localhostProfile`;
  if (type !== 'Localhost') {
    return path === undefined
      ? []
      : [invalidValue(at, unversioned(profile, PROFILE), 'can only be set when seccomp type is Localhost')];
  }
  if (path === undefined) return [required(at, 'must be set when seccomp type is Localhost')];
  return checkDescendingPath(path, at);
}

function checkAppArmor(profile: AppArmorProfile | undefined, field: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile: path } = profile;
  const at = `${field}.localhostProfile`;
  if (type === 'RuntimeDefault' || type === 'Unconfined') {
    return path === undefined ? [] : [invalidValue(at, path, 'can only be set when AppArmor type is Localhost')];
  }
  if (type !== 'Localhost') {
    const isMissing = String(type ?? '') === '';
    return isMissing ? [required(`${field}.type`, 'type is required when appArmorProfile is set')] : [];
  }
  if (path === undefined) return [required(at, 'must be set when AppArmor type is Localhost')];
  const errors: FieldError[] = [];
  if (path.trim() !== path) errors.push(invalidValue(at, path, 'must not be padded with whitespace'));
  else if (path === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'));
  if (Buffer.byteLength(path) > MAX_PROFILE_PATH) errors.push(tooLong(at, MAX_PROFILE_PATH));
  return errors;
}
