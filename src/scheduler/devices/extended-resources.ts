import { EXTENDED_CLAIM_ANNOTATION, isExtendedResource, isSidecar } from '../../api/meaning/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { Container, ContainerExtendedResourceRequest } from '../../api/types/core/v1.d.ts';
import type { DeviceRequest } from '../../api/types/resource/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { DeviceClass, index, type Observed, type Pod, ResourceClaim } from '../../client/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Resources } from '../cache/resources.ts';
import type { Lister } from '../framework/plugin-context.ts';
import { amountOf } from './capacity.ts';
import type { Claim } from './claim.ts';

/** The implicit extended resource name of a class is this prefix and the class's name. */
const CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/';
/** Name of a claim that was not created yet; not a valid object name, so no stored claim has it. */
const UNWRITTEN = '<extended-resources>';

const classesByResource = index(DeviceClass, ({ metadata, spec }) => [
  `${CLASS_PREFIX}${metadata.name}`,
  ...(spec.extendedResourceName === undefined ? [] : [spec.extendedResourceName]),
]);

const claimsByOwner = index(ResourceClaim, ({ metadata }) =>
  metadata.annotations?.[EXTENDED_CLAIM_ANNOTATION] === 'true'
    ? (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(({ uid }) => uid)
    : [],
);

/** The class that provides an extended resource; the newest of several. */
export function classFor(resource: string, classes: Lister<DeviceClass>): Observed<DeviceClass> | undefined {
  if (!isExtendedResource(resource) && !resource.startsWith(CLASS_PREFIX)) return undefined;
  const found = classes.byIndex(classesByResource, resource);
  const [newest] = found.toSorted(
    ({ metadata: left }, { metadata: right }) =>
      compareUtf8(right.creationTimestamp ?? '', left.creationTimestamp ?? '') || compareUtf8(left.name, right.name),
  );
  return newest;
}

/** Whether the node provides the resource only through devices of a class. */
export function isProvidedByDevices(resource: string, allocatable: Resources, classes: Lister<DeviceClass>): boolean {
  return allocatable.scalar(resource) === 0 && classFor(resource, classes) !== undefined;
}

/** Whether a request for the resource may mean devices of this class. */
export function isProvidedByClass(resource: string, { metadata, spec }: Observed<DeviceClass>): boolean {
  return resource === spec.extendedResourceName || resource === `${CLASS_PREFIX}${metadata.name}`;
}

export function isWritten({ metadata }: Claim): boolean {
  return metadata.name !== UNWRITTEN;
}

interface Listers {
  readonly classes: Lister<DeviceClass>;
  readonly claims: Lister<ResourceClaim>;
}

/** The claim for the pod's extended resources: one from an earlier attempt, or a new one. */
export function extendedClaim({ pod, requests }: PodInfo, { classes, claims }: Listers): Claim | undefined {
  const scalars = [...(requests.scalars ?? [])].filter(([, amount]) => amount > 0);
  if (!scalars.some(([name]) => classFor(name, classes) !== undefined)) return undefined;
  const { name, namespace, uid } = pod.metadata;
  const [earlier] = claims.byIndex(claimsByOwner, uid);
  if (earlier !== undefined) return earlier;
  const metadata = {
    namespace,
    name: UNWRITTEN,
    uid: `${uid}/extended-resources`,
    resourceVersion: '',
    creationTimestamp: '',
    generateName: `${name}-extended-resources-`,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    annotations: { [EXTENDED_CLAIM_ANNOTATION]: 'true' },
  };
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec: {} };
}

/** The claim with the requests for a node, and which container's request each of them satisfies. */
export interface NodeClaim {
  readonly claim: Claim;
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** Undefined when the node needs no devices for the pod; a text when a resource is missing. */
export function claimOnNode(
  claim: Claim,
  { pod, requests }: PodInfo,
  { node, classes }: { readonly node: NodeInfo; readonly classes: Lister<DeviceClass> },
): NodeClaim | string | undefined {
  if (claim.spec.devices?.requests !== undefined) return 'cannot schedule extended resource claim';
  const names: string[] = [];
  for (const [name, amount] of requests.scalars ?? []) {
    if (amount === 0 || !(isExtendedResource(name) || name.startsWith(CLASS_PREFIX))) continue;
    if (isProvidedByDevices(name, node.allocatable, classes)) names.push(name);
    else if (!(name in (node.node?.status?.allocatable ?? {}))) return 'cannot fit resource';
  }
  if (names.length === 0) return undefined;
  const made = names
    .toSorted(compareUtf8)
    .map((name) => requestsFor(name, pod, classFor(name, classes)?.metadata.name ?? ''));
  const all = made.flatMap((each) => each.requests).toSorted((left, right) => compareUtf8(left.name, right.name));
  const mappings = made.flatMap((each) => each.mappings);
  return { claim: { ...claim, spec: { devices: { requests: all } } }, mappings };
}

interface ResourceRequests {
  readonly requests: readonly DeviceRequest[];
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

interface ContainerRequest {
  readonly name: string;
  readonly container: string;
  readonly count: number;
}

/**
 * The requests of all containers for one resource. Init containers first reuse the devices of the containers that run
 * later; for what they need beyond that, the largest number suffices because they run one after the other.
 */
function requestsFor(resource: string, { spec }: Observed<Pod>, deviceClassName: string): ResourceRequests {
  const init = spec?.initContainers ?? [];
  const containers = [...init, ...(spec?.containers ?? [])];
  const isShortLived = (at: number): boolean => at < init.length && !isSidecar(containers[at]!);
  const wanted = containers.map((container, at) => requestOf(container, resource, at));
  const longLived = wanted.map((each, at) => (isShortLived(at) ? undefined : each));
  const mappings: ContainerExtendedResourceRequest[] = [];
  const map = (containerName: string, requestName: string): void =>
    void mappings.push({ containerName, resourceName: resource, requestName });
  for (const each of longLived) if (each !== undefined) map(each.container, each.name);
  let largest: ContainerRequest | undefined;
  const ends: { readonly container: string; readonly from: readonly string[]; readonly needsMore: boolean }[] = [];
  for (const [at, each] of wanted.entries()) {
    if (each === undefined || !isShortLived(at)) continue;
    const from: string[] = [];
    let missing = each.count;
    for (const later of longLived.slice(at)) {
      if (later === undefined || missing <= 0) continue;
      from.push(later.name);
      missing -= later.count;
    }
    if (missing > 0 && missing > (largest?.count ?? 0)) largest = { ...each, count: missing };
    ends.push({ container: each.container, from, needsMore: missing > 0 });
  }
  for (const { container, from, needsMore } of ends) {
    for (const name of from) map(container, name);
    if (needsMore && largest !== undefined) map(container, largest.name);
  }
  const requests = [...(largest === undefined ? [] : [largest]), ...longLived.filter((each) => each !== undefined)].map(
    ({ name, count }) => ({ name, exactly: { deviceClassName, allocationMode: 'ExactCount' as const, count } }),
  );
  return { requests, mappings };
}

/** Named by the index of the container and of the resource among the container's requests. */
function requestOf(container: DeepReadonly<Container>, resource: string, at: number): ContainerRequest | undefined {
  const { requests = {} } = container.resources ?? {};
  const count = requests[resource] === undefined ? 0 : amountOf(requests[resource]).value();
  if (count === 0) return undefined;
  const position = Object.keys(requests).toSorted(compareUtf8).indexOf(resource);
  return { name: `container-${at}-request-${position}`, container: container.name, count };
}
