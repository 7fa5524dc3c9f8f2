// A node as it registers itself.
import { createHash } from 'node:crypto';
import type { DeepReadonly } from '../../base/index.ts';
import type { Image } from '../runtime/index.ts';
import type { Node } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { isExtendedResource } from '../../api/meaning/index.ts';
import { timeText } from '../life/index.ts';
import type { NodeDescription } from './node-options.ts';

export type NodeStatus = DeepReadonly<core.NodeStatus>;
type NodeCondition = DeepReadonly<core.NodeCondition>;

/** A node's report names so many images, the largest ones. */
const MOST_IMAGES = 50;
const MOST_NAMES = 5;

/** What pods may need a node to know. */
const DECLARED_FEATURES = ['InPlacePodLevelResourcesVerticalScaling', 'RestartAllContainersOnContainerExits'];

interface Health {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** In this order; a simulated node is always well. */
export const NODE_HEALTH: readonly Health[] = [
  health('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  health('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  health('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  health('Ready', 'KubeletReady', 'kubelet is posting ready status'),
];

function health(type: string, reason: string, message: string): Health {
  return { type, status: type === 'Ready' ? 'True' : 'False', reason, message };
}

export interface StatusParts {
  readonly nowMs: number;
  /** Such as `simulated://0.1.0`. */
  readonly runtimeVersion: string;
  readonly images: readonly Image[];
  readonly volumesInUse: readonly string[];
}

export function nodeLabels({ name, operatingSystem, architecture, labels }: NodeDescription): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': operatingSystem,
    ...labels,
  };
}

/** Says that volumes are attached by the control plane. */
export const NODE_ANNOTATIONS: Readonly<Record<string, string>> = {
  'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
};

export function nodeObject(node: NodeDescription, parts: StatusParts): DeepReadonly<Node> {
  const { name, podCidrs, taints } = node;
  const [podCIDR] = podCidrs;
  return {
    metadata: { name, labels: nodeLabels(node), annotations: NODE_ANNOTATIONS },
    spec: {
      ...(podCIDR === undefined ? {} : { podCIDR, podCIDRs: podCidrs }),
      ...(taints.length === 0 ? {} : { taints }),
    },
    status: nodeStatus(node, parts, undefined),
  };
}

/** What the node reports; what `old` has of others stays. */
export function nodeStatus(node: NodeDescription, parts: StatusParts, old: NodeStatus | undefined): NodeStatus {
  const { name, addresses, capacity, port = 0 } = node;
  const images = reportedImages(parts.images);
  return {
    capacity: { ...old?.capacity, ...capacity },
    allocatable: allocatable(capacity, old),
    conditions: conditions(parts.nowMs, old?.conditions ?? []),
    addresses: [...addresses.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: name }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: nodeInfo(node, parts.runtimeVersion),
    ...(images.length === 0 ? {} : { images }),
    ...volumesInUse(parts, old),
    runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } }],
    features: { supplementalGroupsPolicy: false },
    declaredFeatures: DECLARED_FEATURES,
  };
}

/** None is told once, when there were some. */
function volumesInUse(
  { volumesInUse: now }: StatusParts,
  old: NodeStatus | undefined,
): Pick<NodeStatus, 'volumesInUse'> {
  return now.length === 0 && old?.volumesInUse === undefined ? {} : { volumesInUse: now };
}

type Resources = Readonly<Record<string, string>>;

/** Everything that the node has can be given to pods; extended resources that it no longer has cannot. */
function allocatable(own: Resources, old: NodeStatus | undefined): Resources {
  const before = Object.entries(old?.allocatable ?? {});
  const kept = before.filter(([name]) => !isExtendedResource(name) || old?.capacity?.[name] !== undefined);
  return { ...Object.fromEntries(kept), ...old?.capacity, ...own };
}

/** Whether somebody has given the node an extended resource, or taken it away, and pods cannot tell yet. */
export function isExtendedResourceNew({ capacity: own }: NodeDescription, status: NodeStatus | undefined): boolean {
  const { capacity = {}, allocatable: given = {} } = status ?? {};
  const names = Object.keys({ ...capacity, ...given }).filter((name) => isExtendedResource(name) && !(name in own));
  return names.some((name) => capacity[name] !== given[name]);
}

/** The node's own conditions in their places, renewed; those of others as they are. */
function conditions(nowMs: number, old: readonly NodeCondition[]): NodeCondition[] {
  const now = timeText(nowMs);
  const renewed = NODE_HEALTH.map((own): NodeCondition => {
    const before = old.find(({ type }) => type === own.type);
    const isSame = before?.status === own.status;
    const { type, status, reason, message } = own;
    const lastTransitionTime = isSame ? (before.lastTransitionTime ?? now) : now;
    return { type, status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
  });
  const others = old.filter(({ type }) => !NODE_HEALTH.some((own) => own.type === type));
  return [...others, ...renewed];
}

function nodeInfo(node: NodeDescription, containerRuntimeVersion: string): NonNullable<NodeStatus['nodeInfo']> {
  const { name, operatingSystem, architecture, kubeletVersion } = node;
  return {
    machineID: digest(`machine ${name}`),
    systemUUID: uuid(digest(`system ${name}`)),
    bootID: uuid(digest(`boot ${name}`)),
    kernelVersion: '6.12.0-simulated',
    osImage: 'Keelson simulated node',
    containerRuntimeVersion,
    kubeletVersion,
    kubeProxyVersion: '',
    operatingSystem,
    architecture,
  };
}

function reportedImages(images: readonly Image[]): { names: string[]; sizeBytes: number }[] {
  return [...images]
    .sort((left, right) => right.size - left.size)
    .slice(0, MOST_IMAGES)
    .map(({ repoTags, repoDigests, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MOST_NAMES),
      sizeBytes: size,
    }));
}

/** The same for the same name, so that a node stays the same machine. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function uuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
