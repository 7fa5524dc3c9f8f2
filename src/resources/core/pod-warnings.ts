import { ipWarnings, labelValueProblems, type ObjectMeta, quoteGo } from '../../api/index.ts';
import type {
  Container,
  ContainerPort,
  EnvVar,
  NodeSelectorTerm,
  PodSpec,
  PodTemplateSpec,
} from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { APPARMOR_PREFIX, appArmorProfileOf } from './pod-defaults.ts';
import { amount } from './resource-list.ts';
import { volumeWarnings } from './volume-warnings.ts';

const NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

const ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

/** Warnings about a workload's template: always on creation, later only if it has changed. */
export function templateWarnings(
  template: PodTemplateSpec | undefined,
  field: string,
  { metadata, old }: { readonly metadata: ObjectMeta; readonly old: { readonly metadata: ObjectMeta } | undefined },
): string[] {
  if (template === undefined || old?.metadata.generation === metadata.generation) return [];
  return podWarnings(template.spec ?? {}, template.metadata ?? {}, `${field}.`);
}

/** Warnings about valid fields that are probably mistakes, or deprecated. */
export function podWarnings(spec: PodSpec | Record<string, never>, metadata: ObjectMeta, path: string): string[] {
  const at = `${path}spec`;
  return [
    ...labelWarnings(spec, at),
    ...spreadWarnings(spec, `${at}.topologySpreadConstraints`),
    ...Object.entries(ANNOTATIONS)
      .filter(([name]) => metadata.annotations?.[name] !== undefined)
      .map(([name, text]) => `${path}metadata.annotations[${name}]: ${text}`),
    ...volumeWarnings(spec.volumes ?? [], `${at}.volumes`),
    ...repeated(spec.hostAliases ?? [], 'ip', `${at}.hostAliases`),
    ...repeated(spec.imagePullSecrets ?? [], 'name', `${at}.imagePullSecrets`),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name = '' }, index) =>
      name === '' ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...fractionWarnings(spec.overhead, `${at}.overhead`),
    ...seccompWarnings(spec, metadata, path),
    ...containerWarnings(spec, metadata, path),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...affinityWarnings(spec, `${at}.affinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
      ipWarnings(`${at}.dnsConfig.nameservers[${index}]`, ip),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) => ipWarnings(`${at}.hostAliases[${index}].ip`, ip)),
  ];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function labelWarnings({ nodeSelector = {}, affinity }: PodSpec | Record<string, never>, field: string): string[] {
  const { nodeAffinity } = affinity ?? {};
  const at = `${field}.affinity.nodeAffinity`;
  return [
    ...Object.keys(nodeSelector)
      .filter((label) => NODE_LABELS[label] !== undefined)
      .map((label) => `${field}.nodeSelector[${label}]: ${NODE_LABELS[label]}`),
    ...(nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      termWarnings(term, `${at}.${REQUIRED}.nodeSelectorTerms[${index}]`, { checksValues: false }),
    ),
    ...(nodeAffinity?.[PREFERRED] ?? []).flatMap(({ preference }, index) =>
      termWarnings(preference, `${at}.${PREFERRED}[${index}].preference`, { checksValues: true }),
    ),
  ];
}

function termWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  field: string,
  { checksValues }: { readonly checksValues: boolean },
): string[] {
  return matchExpressions.flatMap(({ key, values = [] }, index) => {
    const at = `${field}.matchExpressions[${index}]`;
    const old = NODE_LABELS[key] === undefined ? [] : [`${at}.key: ${key} is ${NODE_LABELS[key]}`];
    if (!checksValues) return old;
    const wrong = values.flatMap((value, place) =>
      labelValueProblems(value).map((problem) => `${at}.values[${place}]: ${value} is invalid, ${problem}`),
    );
    return [...old, ...wrong];
  });
}

function spreadWarnings({ topologySpreadConstraints = [] }: PodSpec | Record<string, never>, field: string): string[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, index) => {
    const at = `${field}[${index}]`;
    const old = NODE_LABELS[topologyKey];
    return [
      ...(old === undefined ? [] : [`${at}.topologyKey: ${topologyKey} is ${old}`]),
      ...(labelSelector === undefined ? [`${at}.labelSelector: ${NO_POD}`] : []),
    ];
  });
}

const NO_POD = 'a null labelSelector results in matching no pod';

function affinityWarnings({ affinity }: PodSpec | Record<string, never>, field: string): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) => {
    const { [REQUIRED]: demands = [], [PREFERRED]: wishes = [] } = affinity?.[name] ?? {};
    const at = `${field}.${name}`;
    return [
      ...demands.flatMap(({ labelSelector }, index) =>
        labelSelector === undefined ? [`${at}.${REQUIRED}[${index}].labelSelector: ${NO_POD}`] : [],
      ),
      ...wishes.flatMap(({ podAffinityTerm }, index) =>
        podAffinityTerm.labelSelector === undefined
          ? [`${at}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${NO_POD}`]
          : [],
      ),
    ];
  });
}

function repeated<K extends string>(
  items: readonly { readonly [key in K]?: string }[],
  name: K,
  field: string,
): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = item[name] ?? '';
    if (seen.has(value)) return [`${field}[${index}].${name}: duplicate ${name} ${quoteGo(value)}`];
    seen.add(value);
    return [];
  });
}

const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';

function seccompWarnings(spec: PodSpec | Record<string, never>, metadata: ObjectMeta, path: string): string[] {
  if (spec.securityContext?.seccompProfile !== undefined || metadata.annotations?.[POD_SECCOMP] === undefined)
    return [];
  return [
    `${path}metadata.annotations[${POD_SECCOMP}]: non-functional in v1.27+; use the "seccompProfile" field instead`,
  ];
}

const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';

interface Placed<T> {
  readonly item: T;
  readonly field: string;
}

/** Warnings about the containers of a pod, of all three kinds. */
function containerWarnings(spec: PodSpec | Record<string, never>, metadata: ObjectMeta, path: string): string[] {
  const all = (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((name) =>
    (spec[name] ?? []).map((item, index): Placed<Container> => ({ item, field: `${path}spec.${name}[${index}]` })),
  );
  const ports = all.flatMap(({ item, field }) =>
    (item.ports ?? []).map((port, index): Placed<ContainerPort> => ({ item: port, field: `${field}.ports[${index}]` })),
  );
  return [
    ...all.flatMap(({ item, field }) => [
      ...containerSeccompWarnings(item, metadata, path),
      ...(path === '' ? [] : appArmorWarnings(item, { spec, metadata, path })),
      ...fractionWarnings(only(item.resources?.limits, 'memory'), `${field}.resources.limits`),
      ...fractionWarnings(only(item.resources?.requests, 'memory'), `${field}.resources.requests`),
      ...fractionWarnings(only(item.resources?.limits, 'ephemeral-storage'), `${field}.resources.limits`),
      ...fractionWarnings(only(item.resources?.requests, 'ephemeral-storage'), `${field}.resources.requests`),
      ...hiddenVariables(item.env ?? [], `${field}.env`),
    ]),
    ...portWarnings(ports),
    ...portNameWarnings(ports),
  ];
}

function only(amounts: Readonly<Record<string, string>> | undefined, name: string): Record<string, string> {
  const text = amounts?.[name];
  return text === undefined ? {} : { [name]: text };
}

function containerSeccompWarnings({ name, securityContext }: Container, metadata: ObjectMeta, path: string): string[] {
  const key = `${CONTAINER_SECCOMP}${name}`;
  if (securityContext?.seccompProfile !== undefined || metadata.annotations?.[key] === undefined) return [];
  return [`${path}metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

/** Only for templates: pods get this warning when the annotation is copied to the field. */
function appArmorWarnings(
  { name, securityContext }: Container,
  of: { readonly spec: PodSpec | Record<string, never>; readonly metadata: ObjectMeta; readonly path: string },
): string[] {
  const key = `${APPARMOR_PREFIX}${name}`;
  const annotation = of.metadata.annotations?.[key];
  if (securityContext?.appArmorProfile !== undefined || annotation === undefined) return [];
  const ofPod = of.spec.securityContext?.appArmorProfile;
  if (ofPod !== undefined && deepEqual(ofPod, appArmorProfileOf(annotation))) return [];
  return [`${of.path}metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

/** A variable may be set again only to extend its value. */
function hiddenVariables(variables: readonly EnvVar[], field: string): string[] {
  const seen = new Set<string>();
  return variables.flatMap(({ name, value = '', valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const isAddition = valueFrom === undefined && value !== reference && value.includes(reference);
    if (isAddition) return [];
    return [`${field}[${index}]: hides previous definition of ${quoteGo(name)}, which may be dropped when using apply`];
  });
}

function portWarnings(ports: readonly Placed<ContainerPort>[]): string[] {
  const known = new Map<string, Placed<ContainerPort>[]>();
  return ports.flatMap((port) => {
    const { hostIP = '', hostPort = 0, containerPort, protocol = '', name = '' } = port.item;
    const warnings: string[] = [];
    if (hostIP !== '' && hostPort === 0) {
      const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      warnings.push(`${port.field}: hostIP set without hostPort: ${shown}`);
    }
    const key = `${containerPort}/${protocol}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const relation = relationOf(port.item, other.item);
      if (relation !== undefined) warnings.push(`${port.field}: ${relation} port definition with ${other.field}`);
    }
    known.set(key, [...others, port]);
    return warnings;
  });
}

function relationOf(port: ContainerPort, other: ContainerPort): string | undefined {
  const [mine, theirs] = [port.hostPort ?? 0, other.hostPort ?? 0];
  const [myIp, theirIp] = [port.hostIP ?? '', other.hostIP ?? ''];
  if (myIp === theirIp && mine === theirs) return 'duplicate';
  if (mine === 0 || theirs === 0) return 'overlapping';
  return mine === theirs && (myIp === '') !== (theirIp === '') ? 'dangerously ambiguous' : undefined;
}

function portNameWarnings(ports: readonly Placed<ContainerPort>[]): string[] {
  const known = new Map<string, string>();
  return ports.flatMap(({ item: { name = '' }, field }) => {
    if (name === '') return [];
    const other = known.get(name);
    if (other === undefined) {
      known.set(name, field);
      return [];
    }
    const use = `services and probes that select ports by name will use ${other}`;
    return [`${field}: duplicate port name ${quoteGo(name)} with ${other}, ${use}`];
  });
}

const WHOLE_BYTES = ['memory', 'ephemeral-storage'];

/** Warns about amounts with a fraction of a byte, which cannot be granted. */
function fractionWarnings(amounts: Readonly<Record<string, string>> | undefined, field: string): string[] {
  return WHOLE_BYTES.flatMap((name) => {
    const text = amounts?.[name];
    if (text === undefined || amount(text).scaledValue(-3) % 1000n === 0n) return [];
    return [`${field}[${name}]: fractional byte value ${quoteGo(text)} is invalid, must be an integer`];
  });
}
