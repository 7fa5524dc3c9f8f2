import { controllerReference } from '../../api/meaning/index.ts';
import type { Endpoint } from '../../api/types/discovery/v1.d.ts';
import { deepEqual, type DeepReadonly } from '../../base/index.ts';
import { Endpoints, type EndpointSlice, type Observed, type Sendable } from '../../client/index.ts';
import { portsKey } from '../endpointslice/desired-slices.ts';
import type { EndpointsChanged } from '../endpointslice/slice-metrics.ts';
import { MANAGED_BY, SERVICE_NAME, slicePrefix } from '../endpointslice/slice-metadata.ts';
import { TRIGGER_TIME } from '../service-backends/trigger-times.ts';
import type { MirroredSlice } from './mirrored-slices.ts';

export const CONTROLLER_NAME = 'endpointslicemirroring-controller.k8s.io';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export interface SliceChanges {
  readonly create: readonly Sendable<EndpointSlice>[];
  readonly update: readonly Sendable<EndpointSlice>[];
  readonly delete: readonly Observed<EndpointSlice>[];
}

/**
 * The creates, updates and deletes that make the slices match the Endpoints. Surplus slices are reused for new content.
 */
export function sliceChanges(
  endpoints: Observed<Endpoints>,
  wanted: readonly MirroredSlice[],
  existing: readonly Observed<EndpointSlice>[],
): SliceChanges {
  const left = new Map<string, Observed<EndpointSlice>[]>();
  for (const slice of existing) {
    const key = `${slice.addressType} ${portsKey(slice.ports)}`;
    left.set(key, [...(left.get(key) ?? []), slice]);
  }
  const create: MirroredSlice[] = [];
  const update: Sendable<EndpointSlice>[] = [];
  for (const slice of wanted) {
    const known = left.get(`${slice.addressType} ${portsKey(slice.ports)}`)?.shift();
    if (known === undefined) create.push(slice);
    else if (!isUpToDate(known, slice, endpoints)) update.push(sliceFor(endpoints, slice, known));
  }
  const unwanted = [...left.values()].flat();
  const remaining = create.filter((slice) => {
    const position = unwanted.findIndex(({ addressType }) => addressType === slice.addressType);
    const [reused] = position < 0 ? [] : unwanted.splice(position, 1);
    if (reused !== undefined) update.push(sliceFor(endpoints, slice, reused));
    return reused === undefined;
  });
  const isAlive = endpoints.metadata.deletionTimestamp === undefined;
  return {
    create: isAlive ? remaining.map((slice) => sliceFor(endpoints, slice, undefined)) : [],
    update,
    delete: unwanted,
  };
}

/** The number of added, updated and removed endpoints. */
export function endpointChanges(
  existing: readonly Observed<EndpointSlice>[],
  wanted: readonly MirroredSlice[],
): Required<EndpointsChanged> {
  const before = byIdentity(existing.flatMap(({ endpoints }) => endpoints ?? []));
  const after = byIdentity(wanted.flatMap(({ endpoints }) => endpoints));
  const kept = Object.keys(after).filter((key) => key in before);
  return {
    added: Object.keys(after).length - kept.length,
    removed: Object.keys(before).length - kept.length,
    updated: kept.filter((key) => !deepEqual(before[key], after[key])).length,
  };
}

function sliceFor(
  endpoints: Observed<Endpoints>,
  { addressType, ports, endpoints: list }: MirroredSlice,
  known: Observed<EndpointSlice> | undefined,
): Sendable<EndpointSlice> {
  const { name, namespace, labels } = endpoints.metadata;
  return {
    metadata: {
      ...(known === undefined ? { generateName: slicePrefix(name) } : { name: known.metadata.name }),
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME },
      annotations: annotationsOf(endpoints),
      ownerReferences: [controllerReference(endpoints, Endpoints)],
    },
    addressType,
    ports,
    endpoints: list,
  };
}

function annotationsOf({ metadata }: Observed<Endpoints>): Record<string, string> {
  const { [TRIGGER_TIME]: _, [LAST_APPLIED]: __, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

function isUpToDate(slice: Observed<EndpointSlice>, wanted: MirroredSlice, endpoints: Observed<Endpoints>): boolean {
  const { [MANAGED_BY]: _, [SERVICE_NAME]: __, ...labels } = slice.metadata.labels ?? {};
  return (
    deepEqual(labels, endpoints.metadata.labels ?? {}) &&
    deepEqual(slice.metadata.annotations ?? {}, annotationsOf(endpoints)) &&
    deepEqual(byIdentity(slice.endpoints ?? []), byIdentity(wanted.endpoints)) &&
    !isOfOlder(slice, endpoints)
  );
}

/** Whether the slice is owned by an earlier Endpoints object with the same name. */
function isOfOlder({ metadata }: Observed<EndpointSlice>, endpoints: Observed<Endpoints>): boolean {
  const { name, uid } = endpoints.metadata;
  return (metadata.ownerReferences ?? []).some(
    (owner) => owner.kind === Endpoints.kind && owner.name === name && owner.uid !== uid,
  );
}

function byIdentity(endpoints: readonly DeepReadonly<Endpoint>[]): Record<string, unknown> {
  return Object.fromEntries(
    endpoints.map((endpoint) => [
      JSON.stringify([endpoint.addresses, endpoint.hostname, endpoint.targetRef?.uid]),
      endpoint,
    ]),
  );
}
