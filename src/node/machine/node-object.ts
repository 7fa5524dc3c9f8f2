// A node as it registers itself.
import type { DeepReadonly } from '../../base/index.ts';
import type { DeviceResources, Machine, NodeSettings, ResourceTexts } from '../backend/index.ts';
import type { Image, RuntimeStatus } from '../runtime/index.ts';
import type { Node } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { type Quantity, quantityOf } from '../../api/values/index.ts';
import { amountsOf, amountTexts, isExtendedResource, networkAnnotations } from '../../api/meaning/index.ts';
import { timeText } from '../life/index.ts';
import type { HealthCondition } from './node-health.ts';

export type NodeStatus = DeepReadonly<core.NodeStatus>;
type NodeCondition = DeepReadonly<core.NodeCondition>;

/** Limits of the image list in a node's status: the largest images, and names of each. */
const DEFAULT_MAX_IMAGES = 50;
const MAX_NAMES = 5;

const HUGE_PAGES = 'hugepages-';

/** Features that pods may require of a node. */
const DECLARED_FEATURES = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/** What a Node object is built from. */
export interface DescribedNode {
  readonly settings: NodeSettings;
  readonly machine: Machine;
}

export interface StatusParts {
  readonly nowMs: number;
  /** Such as `containerd://2.1.0`. */
  readonly runtimeVersion: string;
  readonly health: readonly HealthCondition[];
  /** Handlers and features; undefined when the runtime does not answer. */
  readonly runtime: RuntimeStatus | undefined;
  readonly devices: DeviceResources;
  readonly images: readonly Image[];
  readonly volumesInUse: readonly string[];
}

/** Keeps pods away from a node until the controller of its cloud has completed it. */
const AWAITS_CLOUD = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
} as const;
/** Tells the controller of a cloud which addresses the node has to have. */
export const CHOSEN_ADDRESSES = 'alpha.kubernetes.io/provided-node-ip';

export function nodeLabels({ settings, machine }: DescribedNode): Record<string, string> {
  const { name, labels } = settings;
  const { operatingSystem, architecture } = machine;
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': operatingSystem,
    ...labels,
  };
}

/** Declares that the control plane attaches volumes, and how the node and its pods are reached. */
export function nodeAnnotations({ settings, machine }: DescribedNode): Record<string, string> {
  const { hasExternalCloud = false, chosenAddresses = [] } = settings.reporting ?? {};
  return {
    ...(hasExternalCloud && chosenAddresses.length > 0 ? { [CHOSEN_ADDRESSES]: chosenAddresses.join() } : {}),
    'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
    ...networkAnnotations({ hasPodNetwork: machine.hasPodNetwork, server: settings.server }),
    ...settings.annotations,
  };
}

export function nodeObject(node: DescribedNode, parts: StatusParts): DeepReadonly<Node> {
  const { name, podCidrs, reporting = {} } = node.settings;
  const taints = reporting.hasExternalCloud === true ? [...node.settings.taints, AWAITS_CLOUD] : node.settings.taints;
  const { providerId = '' } = reporting;
  const [podCIDR] = podCidrs;
  return {
    metadata: { name, labels: nodeLabels(node), annotations: nodeAnnotations(node) },
    spec: {
      ...(podCIDR === undefined ? {} : { podCIDR, podCIDRs: podCidrs }),
      ...(providerId === '' ? {} : { providerID: providerId }),
      ...(taints.length === 0 ? {} : { taints }),
    },
    status: nodeStatus(node, parts, undefined),
  };
}

/** The status that the node reports; what other clients have written to `old` is kept. */
export function nodeStatus(node: DescribedNode, parts: StatusParts, old: NodeStatus | undefined): NodeStatus {
  const { settings, machine } = node;
  const { devices, runtime, volumesInUse } = parts;
  const { port, reporting = {} } = settings;
  const capacity = { ...machine.capacity, ...devices.capacity };
  const images = reportedImages(parts.images, reporting.maxImages);
  return {
    capacity: { ...old?.capacity, ...capacity },
    allocatable: allocatable({ ...allocatableOf(machine), ...devices.allocatable }, capacity, old),
    conditions: conditions(parts, old?.conditions ?? []),
    addresses: addressesOf(node, old),
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: nodeInfo(node, parts.runtimeVersion),
    ...(isReported(images, old?.images) ? { images } : {}),
    ...(isReported(volumesInUse, old?.volumesInUse) ? { volumesInUse } : {}),
    ...(runtime !== undefined && isReported(runtime.runtimeHandlers, old?.runtimeHandlers)
      ? { runtimeHandlers: runtime.runtimeHandlers }
      : {}),
    ...(runtime === undefined ? {} : { features: runtime.features }),
    declaredFeatures: DECLARED_FEATURES,
  };
}

type NodeAddresses = NonNullable<NodeStatus['addresses']>;

/** The node's addresses. What the controller of a cloud has written is kept, and it is left to that controller unless an administrator has chosen. */
function addressesOf({ settings, machine }: DescribedNode, old: NodeStatus | undefined): NodeAddresses {
  const { name, server, reporting = {} } = settings;
  const { hasExternalCloud = false, chosenAddresses = [] } = reporting;
  const hostName = { type: 'Hostname', address: name };
  if (hasExternalCloud && old?.addresses !== undefined && old.addresses.length > 0) return old.addresses;
  if (hasExternalCloud && chosenAddresses.length === 0) return [hostName];
  const own = machine.addresses.map((address) => ({ type: 'InternalIP', address }));
  return [...own, ...serverAddress(server), hostName];
}

/**
 * The address of the machine on which the node's server listens, for callers that do not read annotations. A loopback address is given by
 * its name: programs that copy the addresses of nodes into Endpoints would be refused with an address that no cluster can route to.
 */
function serverAddress(server: string | undefined): readonly { readonly type: string; readonly address: string }[] {
  if (server === undefined) return [];
  const host = server.slice(0, server.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  const isLoopback = host === '::1' || host.startsWith('127.');
  return [isLoopback ? { type: 'InternalDNS', address: 'localhost' } : { type: 'ExternalIP', address: host }];
}

/** Whether a list belongs into the status. The API drops empty lists: one is reported only to clear what the status has. */
function isReported(now: readonly unknown[], before: readonly unknown[] | undefined): boolean {
  return now.length > 0 || before !== undefined;
}

/** Capacity less what is reserved; huge pages are taken from the memory. */
export function allocatableOf({ capacity, reserved }: Pick<Machine, 'capacity' | 'reserved'>): ResourceTexts {
  const hasPages = Object.keys(capacity).some((name) => name.startsWith(HUGE_PAGES) && capacity[name] !== '0');
  const names = Object.keys(reserved).filter((name) => capacity[name] !== undefined);
  if (names.length === 0 && !hasPages) return capacity;
  const [left, keeps] = [amountsOf(capacity), amountsOf(reserved)];
  const take = (name: string, amount: Quantity | undefined): void => {
    const before = left.get(name);
    if (before === undefined || amount === undefined) return;
    const after = before.sub(amount);
    left.set(name, after.sign < 0 ? quantityOf(0, before.format) : after);
  };
  for (const name of names) take(name, keeps.get(name));
  for (const [name, amount] of amountsOf(capacity)) if (name.startsWith(HUGE_PAGES)) take('memory', amount);
  return { ...capacity, ...amountTexts(left) };
}

/** The node's allocatable resources, with extended resources that other clients have added to its capacity. */
function allocatable(own: ResourceTexts, capacity: ResourceTexts, old: NodeStatus | undefined): ResourceTexts {
  const before = Object.entries(old?.allocatable ?? {});
  const kept = before.filter(([name]) => !isExtendedResource(name) || old?.capacity?.[name] !== undefined);
  const given = Object.entries(old?.capacity ?? {}).filter(([name]) => !(name in capacity));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(given), ...own };
}

/** Whether a client has added or removed an extended resource, and the allocatable resources do not show it yet. */
export function isExtendedResourceNew(own: ResourceTexts, status: NodeStatus | undefined): boolean {
  const { capacity = {}, allocatable: given = {} } = status ?? {};
  const names = Object.keys({ ...capacity, ...given }).filter((name) => isExtendedResource(name) && !(name in own));
  return names.some((name) => capacity[name] !== given[name]);
}

/** The conditions of other writers unchanged, then the node's own, renewed. */
function conditions({ nowMs, health }: StatusParts, old: readonly NodeCondition[]): NodeCondition[] {
  const now = timeText(nowMs);
  const renewed = health.map((own): NodeCondition => {
    const before = old.find(({ type }) => type === own.type);
    const isSame = before?.status === own.status;
    const { type, status, reason, message } = own;
    const lastTransitionTime = isSame ? (before.lastTransitionTime ?? now) : now;
    return { type, status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
  });
  const others = old.filter(({ type }) => !health.some((own) => own.type === type));
  return [...others, ...renewed];
}

function nodeInfo({ machine }: DescribedNode, containerRuntimeVersion: string): NonNullable<NodeStatus['nodeInfo']> {
  const { operatingSystem, architecture, kubeletVersion, info } = machine;
  const { machineID, systemUUID, bootID, kernelVersion, osImage, swapCapacity } = info;
  return {
    machineID,
    systemUUID,
    bootID,
    kernelVersion,
    osImage,
    containerRuntimeVersion,
    kubeletVersion,
    kubeProxyVersion: '',
    operatingSystem,
    architecture,
    ...(swapCapacity === undefined ? {} : { swap: { capacity: swapCapacity } }),
  };
}

function reportedImages(images: readonly Image[], max = DEFAULT_MAX_IMAGES): { names: string[]; sizeBytes: number }[] {
  return [...images]
    .sort((left, right) => right.size - left.size)
    .slice(0, max < 0 ? Infinity : max)
    .map(({ repoTags, repoDigests, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES),
      sizeBytes: size,
    }));
}
