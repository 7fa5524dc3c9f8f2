import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  legacyIpProblems,
  missing,
  notSupported,
  qualifiedNameProblems,
  required,
  tooLong,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { HostAlias, PodReadinessGate, PodResourceClaim, PodSpec } from '../../api/types/core/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { unversioned } from '../unversioned.ts';
import { checkAffinity } from './affinity-rules.ts';
import { checkChoice } from './container-rules.ts';
import { eachContainer } from './each-container.ts';
import {
  checkContainers,
  checkEphemeralContainers,
  checkInitContainers,
  type ContainerFacts,
} from './pod-container-rules.ts';
import { checkPodResources } from './pod-resource-rules.ts';
import { checkRequirements } from './resource-rules.ts';
import { checkPodSecurity } from './security-context-rules.ts';
import { checkTolerations } from './toleration-rules.ts';
import { checkSpreadConstraints } from './topology-spread-rules.ts';
import { checkVolumes } from './volume-rules.ts';
import { checkHostProcesses, checkLinuxPod, checkWindowsPod } from './windows-rules.ts';

export interface PodSpecOptions {
  /** Set for a Pod itself, undefined for a template. */
  readonly podName?: string;
  readonly isPod: boolean;
  /** Whether it is the copy of a pod that its node reads from elsewhere. */
  readonly isMirror?: boolean;
  /** Whether the stored pod has a seLinuxChangePolicy: it may then have any. */
  readonly hadLabelPolicy?: boolean;
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** All rules of a PodSpec, in upstream's order. */
export function checkPodSpec(spec: PodSpec, field: string, options: PodSpecOptions): FieldError[] {
  const { errors, mountable } = checkVolumes(spec.volumes ?? [], `${field}.volumes`, options);
  const facts: ContainerFacts = {
    volumes: mountable,
    claims: new Set((spec.resourceClaims ?? []).flatMap(({ name = '' }) => (name === '' ? [] : [name]))),
    hostUsers: spec.hostUsers ?? true,
    restartPolicy: spec.restartPolicy ?? '',
    grace: spec.terminationGracePeriodSeconds,
    os: spec.os,
  };
  return [
    ...errors,
    ...checkResourceClaims(spec.resourceClaims ?? [], `${field}.resourceClaims`, options),
    ...checkContainers(spec, `${field}.containers`, facts),
    ...checkInitContainers(spec, `${field}.initContainers`, facts),
    ...checkEphemeralContainers(spec, `${field}.ephemeralContainers`, facts),
    ...checkPodResources(spec, `${field}.resources`, facts),
    ...checkHostPorts(spec, `${field}.containers`, options),
    ...checkChoice(spec.restartPolicy, `${field}.restartPolicy`, RESTART_POLICIES),
    ...checkChoice(spec.dnsPolicy, `${field}.dnsPolicy`, DNS_POLICIES),
    ...checkLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...checkPodSecurity(spec, `${field}.securityContext`, options),
    ...checkAffinity(spec.affinity, `${field}.affinity`),
    ...checkDnsConfig(spec, `${field}.dnsConfig`),
    ...checkReadinessGates(spec.readinessGates ?? [], `${field}.readinessGates`),
    ...checkSchedulingGates(spec, `${field}.schedulingGates`),
    ...checkSpreadConstraints(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
    ...checkHostProcesses(spec, field),
    ...checkHostUsers(spec, field),
    ...checkHostnameOverride(spec, field),
    ...checkNames(spec, field),
    ...checkTolerations(spec.tolerations ?? [], `${field}.tolerations`),
    ...checkHostAliases(spec.hostAliases ?? [], `${field}.hostAliases`),
    ...checkClasses(spec, field),
    ...(spec.overhead === undefined ? [] : checkRequirements({ limits: spec.overhead }, `${field}.overhead`, facts)),
    ...checkOs(spec, field),
    ...checkSchedulingGroup(spec, `${field}.schedulingGroup.podGroupName`),
    ...checkFileVolumes(spec, field),
  ];
}

const CLAIM = { Name: '', ResourceClaimName: null, ResourceClaimTemplateName: null };

/** Claims must be unique, and say where they come from. */
function checkResourceClaims(
  claims: readonly PodResourceClaim[],
  field: string,
  options: PodSpecOptions,
): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    if (options.isMirror === true) return [forbiddenField('', 'static pods do not support resource claims')];
    const at = `${field}[${index}]`;
    const { name = '', resourceClaimName: own, resourceClaimTemplateName: template } = claim;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else errors.push(...dns1123LabelProblems(name).map((problem) => invalidValue(`${at}.name`, name, problem)));
    names.add(name);
    const shown = (): unknown => unversioned(claim, CLAIM);
    if (own !== undefined && template !== undefined) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(invalidValue(at, shown(), detail));
    }
    if (own === undefined && template === undefined) {
      const detail = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
      errors.push(invalidValue(at, shown(), detail));
    }
    return [
      ...errors,
      ...checkSubdomain(own, `${at}.resourceClaimName`),
      ...checkSubdomain(template, `${at}.resourceClaimTemplateName`),
    ];
  });
}

function checkSubdomain(name: string | undefined, field: string): FieldError[] {
  if (name === undefined) return [];
  return dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkLabel(name: string | undefined, field: string): FieldError[] {
  if ((name ?? '') === '') return [];
  return dns1123LabelProblems(name ?? '').map((problem) => invalidValue(field, name, problem));
}

/** With host networking, a container port must be the host port. */
function checkHostPorts({ hostNetwork, containers }: PodSpec, field: string, { isPod }: PodSpecOptions): FieldError[] {
  if (hostNetwork !== true) return [];
  return (containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort = 0 }, at) => {
      if ((hostPort === 0 && !isPod) || hostPort === containerPort) return [];
      const detail = 'must match `containerPort` when `hostNetwork` is true';
      return [invalidValue(`${field}[${index}].ports[${at}].hostPort`, hostPort, detail)];
    }),
  );
}

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/** Name servers and search paths, within the limits of resolvers. */
function checkDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, field: string): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (nameservers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${field}.nameservers`, detail)];
    }
  }
  return [
    ...checkNameservers(nameservers, `${field}.nameservers`),
    ...checkSearches(searches, `${field}.searches`),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${field}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function checkNameservers(servers: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (servers.length > MAX_NAMESERVERS) {
    errors.push(invalidValue(field, servers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  for (const [index, server] of servers.entries()) {
    for (const problem of legacyIpProblems(server)) errors.push(invalidValue(`${field}[${index}]`, server, problem));
  }
  return errors;
}

function checkSearches(searches: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > MAX_SEARCHES) {
    errors.push(invalidValue(field, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  if (Buffer.byteLength(searches.join(' ')) > MAX_SEARCH_CHARACTERS) {
    const detail = `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, detail));
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.replace(/\.$/, '');
    for (const problem of dns1123SubdomainWithUnderscoreProblems(name)) {
      errors.push(invalidValue(`${field}[${index}]`, name, problem));
    }
  }
  return errors;
}

function checkReadinessGates(gates: readonly PodReadinessGate[], field: string): FieldError[] {
  return gates.flatMap(({ conditionType: type = '' }, index) =>
    qualifiedNameProblems(type).map((problem) => invalidValue(`${field}[${index}].conditionType`, type, problem)),
  );
}

function checkSchedulingGates({ schedulingGates = [] }: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  return schedulingGates.flatMap(({ name = '' }, index) => {
    const at = `${field}[${index}]`;
    const isTaken = seen.has(name);
    seen.add(name);
    const errors = qualifiedNameProblems(name).map((problem) => invalidValue(at, name, problem));
    return isTaken ? [...errors, duplicate(at, name)] : errors;
  });
}

/** A pod with users of its own shares nothing of the node; two fields are spelled as in upstream's messages. */
function checkHostUsers(spec: PodSpec, field: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const no = (path: string): FieldError => forbiddenField(path, 'when `hostUsers` is false');
  return [
    ...(spec.hostNetwork === true ? [no(`${field}.hostNetwork`)] : []),
    ...(spec.hostPID === true ? [no(`${field}.HostPID`)] : []),
    ...(spec.hostIPC === true ? [no(`${field}.HostIPC`)] : []),
    ...eachContainer(spec, field, ({ volumeDevices = [] }, path) =>
      volumeDevices.length > 0 ? [no(`${path}.volumeDevices`)] : [],
    ),
  ];
}

const MAX_HOSTNAME = 64;

function checkHostnameOverride(spec: PodSpec, field: string): FieldError[] {
  const { hostnameOverride: name, setHostnameAsFQDN, hostNetwork } = spec;
  if (name === undefined) return [];
  const at = `${field}.hostnameOverride`;
  const not = (what: string): FieldError => forbiddenField(at, `may not be specified when ${what} is true`);
  return [
    ...(setHostnameAsFQDN === true ? [not('setHostnameAsFQDN')] : []),
    ...(hostNetwork === true ? [not('hostNetwork')] : []),
    ...(Buffer.byteLength(name) > MAX_HOSTNAME ? [tooLong(at, MAX_HOSTNAME)] : []),
    ...checkSubdomain(name, at),
  ];
}

const MAX_DEADLINE = 2_147_483_647;

function checkNames(spec: PodSpec, field: string): FieldError[] {
  const { serviceAccountName = '', nodeName = '', activeDeadlineSeconds: deadline, hostname, subdomain } = spec;
  const isDeadline = deadline === undefined || (deadline >= 1 && deadline <= MAX_DEADLINE);
  const detail = `must be between 1 and ${MAX_DEADLINE}, inclusive`;
  return [
    ...(serviceAccountName === '' ? [] : checkSubdomain(serviceAccountName, `${field}.serviceAccountName`)),
    ...(nodeName === '' ? [] : checkSubdomain(nodeName, `${field}.nodeName`)),
    ...(isDeadline ? [] : [invalidValue(`${field}.activeDeadlineSeconds`, deadline, detail)]),
    ...checkLabel(hostname, `${field}.hostname`),
    ...checkLabel(subdomain, `${field}.subdomain`),
  ];
}

function checkHostAliases(aliases: readonly HostAlias[], field: string): FieldError[] {
  return aliases.flatMap(({ ip = '', hostnames = [] }, index) => [
    ...legacyIpProblems(ip).map((problem) => invalidValue(`${field}[${index}].ip`, ip, problem)),
    ...hostnames.flatMap((name, at) => checkSubdomain(name, `${field}[${index}].hostnames[${at}]`)),
  ]);
}

const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

function checkClasses(spec: PodSpec, field: string): FieldError[] {
  const { priorityClassName = '', runtimeClassName, preemptionPolicy } = spec;
  return [
    ...(priorityClassName === '' ? [] : checkSubdomain(priorityClassName, `${field}.priorityClassName`)),
    ...checkSubdomain(runtimeClassName, `${field}.runtimeClassName`),
    ...(preemptionPolicy === undefined
      ? []
      : checkChoice(preemptionPolicy, `${field}.preemptionPolicy`, PREEMPTION_POLICIES)),
  ];
}

/** What the operating system rules out. */
function checkOs(spec: PodSpec, field: string): FieldError[] {
  const name: string | undefined = spec.os?.name;
  if (spec.os === undefined) return [];
  switch (name ?? '') {
    case '':
      return [required(`${field}.os.name`)];
    case 'linux':
      return checkLinuxPod(spec, field);
    case 'windows':
      return checkWindowsPod(spec, field);
    default:
      return [notSupported(`${field}.os`, asJson(name ?? ''), ['linux', 'windows'])];
  }
}

function checkSchedulingGroup({ schedulingGroup }: PodSpec, field: string): FieldError[] {
  if (schedulingGroup === undefined) return [];
  const { podGroupName } = schedulingGroup;
  if (podGroupName === undefined) return [invalidValue(field, null, 'must specify one of: `podGroupName`')];
  return checkSubdomain(podGroupName, field);
}

/** Files that variables are read from have to be in an emptyDir. */
function checkFileVolumes(spec: PodSpec, field: string): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name ?? '', volume]));
  return eachContainer(spec, field, ({ env = [] }, path) =>
    env.flatMap(({ valueFrom }, index) => {
      if (valueFrom?.fileKeyRef === undefined) return [];
      const { volumeName = '' } = valueFrom.fileKeyRef;
      const at = `${path}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(volumeName);
      if (volume === undefined) return [missing(at, volumeName)];
      if (volume.emptyDir !== undefined) return [];
      return [invalidValue(at, volumeName, 'referenced volume must be of type emptyDir')];
    }),
  );
}
