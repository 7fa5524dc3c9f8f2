import type { ObjectMeta } from '../../api/index.ts';
import type { Container, ContainerPort, EnvVar, PodSpec } from '../../api/types/core/v1.d.ts';
import { fractionWarnings } from './fraction-warnings.ts';

const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';

interface Placed<T> {
  readonly item: T;
  readonly field: string;
}

/** What is odd about the containers of a pod, of all three kinds. */
export function containerWarnings(spec: PodSpec | Record<string, never>, metadata: ObjectMeta, path: string): string[] {
  const all = (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((name) =>
    (spec[name] ?? []).map((item, index): Placed<Container> => ({ item, field: `${path}spec.${name}[${index}]` })),
  );
  const ports = all.flatMap(({ item, field }) =>
    (item.ports ?? []).map((port, index): Placed<ContainerPort> => ({ item: port, field: `${field}.ports[${index}]` })),
  );
  return [
    ...all.flatMap(({ item, field }) => [
      ...seccompWarnings(item, metadata, path),
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

function seccompWarnings({ name, securityContext }: Container, metadata: ObjectMeta, path: string): string[] {
  const key = `${SECCOMP}${name}`;
  if (securityContext?.seccompProfile !== undefined || metadata.annotations?.[key] === undefined) return [];
  return [`${path}metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

/** A variable may be set again only to add to what it was. */
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
    return [
      `${field}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
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
    return [`${field}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`];
  });
}
