import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import { formatIp, parseIp } from '../../api/values/index.ts';
import type { Container, Pod as PodObject, PodSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { Protocol } from './policy-statement.ts';

/** A port that a pod has given a name. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** What policies look at of a pod. */
export interface PolicedPod {
  /** `namespace/name` */
  readonly key: string;
  readonly namespace: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: string;
  /** In canonical form; none before the pod has its network. */
  readonly addresses: readonly string[];
  readonly ports: readonly NamedPort[];
}

const NO_LABELS: Readonly<Record<string, string>> = {};
const NOTHING: readonly never[] = [];

/**
 * What policies look at; undefined for pods that they are not about: those on the network of their node, whose address is the node's, and
 * those that have ended, whose address may be another pod's by now.
 */
export function policedPod({ metadata, spec, status }: Observed<Pod>): PolicedPod | undefined {
  if (spec?.hostNetwork === true || isTerminalPhase(status?.phase)) return undefined;
  const { namespace = '', name, uid, creationTimestamp, labels = NO_LABELS } = metadata;
  return {
    key: `${namespace}/${name}`,
    namespace,
    uid,
    createdAt: creationTimestamp,
    labels,
    node: spec?.nodeName ?? '',
    addresses: addressesOf(status),
    ports: namedPorts(spec),
  };
}

/** Addresses in canonical form, each once; what is no address is left out. */
export function canonicalAddresses(addresses: readonly string[]): readonly string[] {
  const parsed = addresses.flatMap((text) => parseIp(text) ?? []);
  return parsed.length === 0 ? NOTHING : [...new Set(parsed.map(formatIp))];
}

function addressesOf(status: DeepReadonly<PodObject['status']>): readonly string[] {
  const listed = status?.podIPs?.map(({ ip }) => ip ?? '') ?? [];
  return canonicalAddresses(listed.length > 0 ? listed : [status?.podIP ?? '']);
}

/** The ports with names, of containers that run as long as the pod does. The first of several with one name and protocol counts. */
function namedPorts(spec: DeepReadonly<PodSpec> | undefined): readonly NamedPort[] {
  const found = new Map<string, NamedPort>();
  for (const { ports = [] } of servingContainers(spec))
    for (const { name = '', protocol = 'TCP', containerPort } of ports) {
      const id = `${protocol} ${name}`;
      if (name !== '' && !found.has(id)) found.set(id, { name, protocol, port: containerPort });
    }
  return found.size === 0 ? NOTHING : [...found.values()];
}

function servingContainers(spec: DeepReadonly<PodSpec> | undefined): readonly DeepReadonly<Container>[] {
  const sidecars = spec?.initContainers?.filter(isSidecar) ?? [];
  return [...(spec?.containers ?? []), ...sidecars];
}

/**
 * Keeps of a pod what `policedPod` reads, a tenth of it. Frozen pods, shared by a server in the same process, stay as they are: they cost
 * nothing, a copy would.
 */
export function leanPod(pod: Observed<Pod>): Observed<Pod> {
  if (Object.isFrozen(pod)) return pod;
  const { kind, apiVersion, metadata, spec, status } = pod;
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = metadata;
  return {
    kind,
    apiVersion,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp, labels },
    spec: {
      nodeName: spec?.nodeName,
      hostNetwork: spec?.hostNetwork,
      containers: servingContainers(spec).map(({ name: container, ports }) => ({ name: container, ports })),
    },
    status: { phase: status?.phase, podIP: status?.podIP, podIPs: status?.podIPs },
  };
}
