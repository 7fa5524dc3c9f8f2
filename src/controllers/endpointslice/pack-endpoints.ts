import { deepEqual } from '../../base/index.ts';
import type { Endpoint } from '../../api/types/discovery/v1.d.ts';
import type { EndpointSlice, Observed } from '../../client/index.ts';

export interface Packing {
  readonly create: readonly (readonly Endpoint[])[];
  /** The new content of changed slices. */
  readonly update: ReadonlyMap<Observed<EndpointSlice>, readonly Endpoint[]>;
  readonly unchanged: readonly Observed<EndpointSlice>[];
  readonly delete: readonly Observed<EndpointSlice>[];
  /** The number of endpoints added to and removed from slices. */
  readonly added: number;
  readonly removed: number;
}

/**
 * Distributes endpoints over existing slices, preferring few changed slices over full ones.
 *
 * Example: slices of 100 and 98 endpoints, three new endpoints: slices that change anyway are filled first; if none
 * does, the three go together into the slice that they fill best; if there is no such slice, into a new one.
 */
export function packEndpoints(
  slices: readonly Observed<EndpointSlice>[],
  desired: readonly Endpoint[],
  capacity: number,
): Packing {
  const left = new Map(desired.map((endpoint) => [identity(endpoint), endpoint]));
  const update = new Map<Observed<EndpointSlice>, Endpoint[]>();
  const gone: Observed<EndpointSlice>[] = [];
  const unchanged = new Set<Observed<EndpointSlice>>();
  let removed = 0;
  for (const slice of slices) {
    const { kept, isChanged } = keep(slice, left);
    removed += (slice.endpoints?.length ?? 0) - kept.length;
    if (!isChanged) unchanged.add(slice);
    else if (kept.length === 0) gone.push(slice);
    else update.set(slice, kept);
  }
  const rest = [...left.values()];
  const added = rest.length;
  for (const endpoints of [...update.values()].toSorted((a, b) => b.length - a.length)) fill(endpoints, rest, capacity);
  const create: Endpoint[][] = [];
  while (rest.length > 0) {
    const slice = rest.length < capacity ? bestFit([...unchanged], rest.length, capacity) : undefined;
    const endpoints = [...((slice?.endpoints ?? []) as readonly Endpoint[])];
    fill(endpoints, rest, capacity);
    if (slice === undefined) create.push(endpoints);
    else {
      update.set(slice, endpoints);
      unchanged.delete(slice);
    }
  }
  return { create, update, unchanged: [...unchanged], delete: gone, added, removed };
}

/** What identifies an endpoint, regardless of its conditions. */
function identity({
  addresses,
  hostname,
  targetRef,
}: Endpoint | NonNullable<Observed<EndpointSlice>['endpoints']>[number]): string {
  return JSON.stringify([addresses, hostname, targetRef?.namespace, targetRef?.name, targetRef?.uid]);
}

/** Removes from `left` the endpoints that the slice already has, and returns them in their new state. */
function keep(
  slice: Observed<EndpointSlice>,
  left: Map<string, Endpoint>,
): { readonly kept: Endpoint[]; readonly isChanged: boolean } {
  const kept: Endpoint[] = [];
  let isChanged = false;
  for (const endpoint of slice.endpoints ?? []) {
    const key = identity(endpoint);
    const wanted = left.get(key);
    left.delete(key);
    if (wanted === undefined) isChanged = true;
    else {
      kept.push(wanted);
      isChanged ||= !deepEqual(wanted, endpoint);
    }
  }
  return { kept, isChanged };
}

function fill(endpoints: Endpoint[], rest: Endpoint[], capacity: number): void {
  endpoints.push(...rest.splice(0, Math.max(0, capacity - endpoints.length)));
}

/** The slice that `count` more endpoints fill best, if any has room. */
function bestFit(
  slices: readonly Observed<EndpointSlice>[],
  count: number,
  capacity: number,
): Observed<EndpointSlice> | undefined {
  const size = (slice: Observed<EndpointSlice>): number => slice.endpoints?.length ?? 0;
  const fitting = slices.filter((slice) => size(slice) > 0 && size(slice) + count <= capacity);
  return fitting.toSorted((a, b) => size(b) - size(a))[0];
}
