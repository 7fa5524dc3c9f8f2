import { deepEqual } from '../../base/index.ts';
import type { EndpointSlice, Observed, Sendable, Service } from '../../client/index.ts';
import type { AddressFamily, PortGroup } from './desired-slices.ts';
import { portsKey } from './desired-slices.ts';
import { packEndpoints } from './pack-endpoints.ts';
import type { EndpointsChanged } from './slice-metrics.ts';
import { isOwnedBy, newSliceMetadata, sliceLabels, unreserved } from './slice-metadata.ts';

/** Maximum number of endpoints per slice. */
export const CAPACITY = 100;

export interface SliceChanges {
  readonly create: readonly Sendable<EndpointSlice>[];
  readonly update: readonly Sendable<EndpointSlice>[];
  readonly delete: readonly Observed<EndpointSlice>[];
  readonly endpoints: EndpointsChanged;
}

/** The creates, updates and deletes for the slices of one address family. */
export function sliceChanges(
  service: Observed<Service>,
  groups: ReadonlyMap<string, PortGroup>,
  existing: { readonly family: AddressFamily; readonly slices: readonly Observed<EndpointSlice>[] },
): SliceChanges {
  const { family: addressType, slices } = existing;
  const owned = slices.filter((slice) => isOwnedBy(slice, service));
  const gone = slices.filter((slice) => !owned.includes(slice));
  const create: Sendable<EndpointSlice>[] = [];
  const update: Sendable<EndpointSlice>[] = [];
  let added = 0;
  let removed = 0;
  const unwanted = owned.filter((slice) => !groups.has(portsKey(slice.ports)));
  for (const [key, { ports, endpoints }] of groups) {
    const packing = packEndpoints(
      owned.filter((slice) => portsKey(slice.ports) === key),
      endpoints,
      CAPACITY,
    );
    added += packing.added;
    removed += packing.removed;
    for (const part of packing.create)
      create.push({ metadata: newSliceMetadata(service), addressType, ports, endpoints: part });
    for (const [slice, part] of packing.update) update.push(relabelled({ ...slice, endpoints: part }, service));
    for (const slice of packing.unchanged) if (!hasLabelsOf(slice, service)) update.push(relabelled(slice, service));
    unwanted.push(...packing.delete);
  }
  if (slices.length === gone.length + unwanted.length && create.length === 0) {
    const spare = unwanted.findIndex((slice) => isEmpty(slice) && hasLabelsOf(slice, service));
    if (spare >= 0) unwanted.splice(spare, 1);
    else create.push({ metadata: newSliceMetadata(service), addressType, ports: [], endpoints: [] });
  }
  return { ...reuse({ create, update, unwanted, gone }, service), endpoints: { added, removed } };
}

/** Reuses surplus slices for new content. */
function reuse(
  changes: {
    readonly create: readonly Sendable<EndpointSlice>[];
    readonly update: readonly Sendable<EndpointSlice>[];
    readonly unwanted: readonly Observed<EndpointSlice>[];
    readonly gone: readonly Observed<EndpointSlice>[];
  },
  service: Observed<Service>,
): Omit<SliceChanges, 'endpoints'> {
  const { create, unwanted } = changes;
  const reused = unwanted
    .slice(0, create.length)
    .map((slice, index) =>
      relabelled({ ...slice, ports: create[index]?.ports, endpoints: create[index]?.endpoints }, service),
    );
  return {
    create: service.metadata.deletionTimestamp === undefined ? create.slice(reused.length) : [],
    update: [...changes.update, ...reused],
    delete: [...changes.gone, ...unwanted.slice(reused.length)],
  };
}

function isEmpty({ endpoints, ports }: Observed<EndpointSlice>): boolean {
  return (endpoints ?? []).length === 0 && (ports ?? []).length === 0;
}

function hasLabelsOf(slice: Observed<EndpointSlice>, service: Observed<Service>): boolean {
  return deepEqual(unreserved(slice.metadata.labels), unreserved(service.metadata.labels));
}

function relabelled(slice: Sendable<EndpointSlice>, service: Observed<Service>): Sendable<EndpointSlice> {
  return { ...slice, metadata: { ...slice.metadata, labels: sliceLabels(service) } };
}
