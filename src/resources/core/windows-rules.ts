import {
  asJson,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidValue,
  sentEmpty,
} from '../../api/index.ts';
import type { PodSpec, SecurityContext, WindowsSecurityContextOptions } from '../../api/types/core/v1.d.ts';
import { eachContainer } from './each-container.ts';

const MAX_SPEC_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS = new RegExp(String.raw`^${DNS_LABEL}(?:\.${DNS_LABEL})*$`);

/** The settings of a Windows container, or of all of a pod. */
export function checkWindowsOptions(options: WindowsSecurityContextOptions | undefined, field: string): FieldError[] {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options ?? {};
  const errors: FieldError[] = [];
  if (name !== undefined) {
    const problems = dns1123SubdomainProblems(name);
    errors.push(...problems.map((problem) => invalidValue(`${field}.gmsaCredentialSpecName`, asJson(name), problem)));
  }
  if (spec === '') {
    errors.push(invalidValue(`${field}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string'));
  } else if (spec !== undefined && Buffer.byteLength(spec) > MAX_SPEC_KIB * 1024) {
    const detail = `gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`;
    errors.push(invalidValue(`${field}.gmsaCredentialSpec`, asJson(spec), detail));
  }
  if (user === undefined) return errors;
  return [
    ...errors,
    ...userProblems(user).map((problem) =>
      invalidValue(`${field}.runAsUserName`, asJson(user), `runAsUserName${problem}`),
    ),
  ];
}

/** The problems of `DOMAIN\user`, without the field's name in front. */
function userProblems(name: string): string[] {
  if (name === '') return [' cannot be an empty string'];
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\u001F\u007F]/.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const [user = '', domain] = parts.toReversed();
  const problems: string[] = [];
  if (domain !== undefined) {
    if (Buffer.byteLength(domain) >= MAX_DOMAIN) {
      problems.push(`'s Domain length must be under ${MAX_DOMAIN} characters`);
    }
    if (!NETBIOS.test(domain) && !DNS.test(domain)) {
      problems.push("'s Domain doesn't match the NetBios nor the DNS format");
    }
  }
  const length = Buffer.byteLength(user);
  if (length === 0) problems.push("'s User cannot be empty");
  else if (length > MAX_USER) problems.push(`'s User length must not be longer than ${MAX_USER} characters`);
  if (/^[. ]+$/.test(user)) problems.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push(String.raw`'s User cannot contain the following characters: "/\:;|=,+*?<>@[]`);
  }
  return problems;
}

/** Containers that are processes of the host: all of a pod, on the host's network. */
export function checkHostProcesses(spec: PodSpec, field: string): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let count = 0;
  let others = 0;
  const errors = eachContainer(spec, field, ({ securityContext }, path) => {
    const own = securityContext?.windowsOptions?.hostProcess;
    if (own ?? ofPod ?? false) count += 1;
    else others += 1;
    if (ofPod === undefined || own === undefined || own === ofPod) return [];
    const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    return [invalidValue(`${path}.securityContext.windowsOptions.hostProcess`, own, detail)];
  });
  if (count === 0) return errors;
  if (others > 0) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidValue(field, '', detail));
  }
  if (spec.hostNetwork !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidValue(`${field}.hostNetwork`, false, detail));
  }
  return errors;
}

/** What a pod may not have on Windows, in upstream's order; `security.` stands for its security context. */
const NOT_FOR_PODS = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
/** Of these, only a value that is not empty counts. */
const WHEN_NOT_EMPTY = new Set(['hostPID', 'hostIPC', 'securityContext.sysctls']);

const NOT_FOR_CONTAINERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const satisfies readonly (keyof SecurityContext)[];

/** What a pod for Windows may not have. */
export function checkWindowsPod(spec: PodSpec, field: string): FieldError[] {
  const detail = 'cannot be set for a windows pod';
  const errors = NOT_FOR_PODS.filter((path) => isGiven(spec, path)).map((path) =>
    forbiddenField(`${field}.${path}`, detail),
  );
  return [
    ...errors,
    ...eachContainer(spec, field, ({ securityContext }, path) =>
      NOT_FOR_CONTAINERS.filter((name) => securityContext?.[name] !== undefined).map((name) =>
        forbiddenField(`${path}.securityContext.${name}`, detail),
      ),
    ),
  ];
}

function isGiven(spec: PodSpec, path: string): boolean {
  const [first = '', second] = path.split('.');
  const members = spec as unknown as Readonly<Record<string, unknown>>;
  const outer = members[first];
  const inner = outer as Readonly<Record<string, unknown>> | undefined;
  const value = second === undefined ? outer : inner?.[second];
  if (!WHEN_NOT_EMPTY.has(path)) {
    return value !== undefined || (second !== undefined && sentEmpty(inner, second) !== null);
  }
  return Array.isArray(value) ? value.length > 0 : value === true;
}

/** What a pod for Linux may not have. */
export function checkLinuxPod(spec: PodSpec, field: string): FieldError[] {
  const detail = 'windows options cannot be set for a linux pod';
  const isOfPod = spec.securityContext?.windowsOptions !== undefined;
  return [
    ...(isOfPod ? [forbiddenField(`${field}.securityContext.windowsOptions`, detail)] : []),
    ...eachContainer(spec, field, ({ securityContext }, path) =>
      securityContext?.windowsOptions === undefined
        ? []
        : [forbiddenField(`${path}.securityContext.windowsOptions`, detail)],
    ),
  ];
}
