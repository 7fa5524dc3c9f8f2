import type { Endpoint } from '../../api/types/discovery/v1.d.ts';
import type { EndpointSlice, Observed, Sendable } from '../../client/index.ts';
import type { SliceChanges } from './slice-changes.ts';
import { add, allocate, movesFor } from './zone-allocation.ts';
import type { ZoneShares } from './zone-shares.ts';

/** Slices with zone hints, or without any when the zones cannot share the traffic. */
export interface HintedChanges {
  readonly changes: SliceChanges;
  /** Endpoints per zone; undefined when there are no hints. */
  readonly endpointsByZone?: ReadonlyMap<string, number>;
  /** Why there are no hints. */
  readonly problem?: string;
}

export interface HintOptions {
  /** All current slices of the family, with their hints. */
  readonly live: readonly Observed<EndpointSlice>[];
  readonly shares: ZoneShares | undefined;
}

type Slice = Sendable<EndpointSlice>;
type SomeEndpoints = EndpointSlice['endpoints'] | Observed<EndpointSlice>['endpoints'];

/** The slice without hints. */
export function withoutHints<T extends Slice>(slice: T): T {
  const endpoints = (slice.endpoints ?? []).map(({ hints: _, ...endpoint }) => endpoint);
  return slice.endpoints === undefined || slice.endpoints === null ? slice : { ...slice, endpoints };
}

/**
 * Assigns endpoints to zones in proportion to the zones' CPUs: each to its own zone, unless another has too few.
 * Unchanged slices keep their hints.
 *
 * Assumes that `changes` were computed from slices without hints.
 */
export function hintedChanges(changes: SliceChanges, { live, shares }: HintOptions): HintedChanges {
  const changing = new Set([...changes.update, ...changes.delete].map(({ metadata }) => metadata?.name));
  const unchanged = live.filter(({ metadata }) => !changing.has(metadata.name));
  const ready = [...changes.create, ...changes.update, ...unchanged].flatMap(({ endpoints }) => readyOnes(endpoints));
  const allocations = allocate(ready.length, shares);
  if (typeof allocations === 'string') return unhinted(changes, unchanged, allocations);
  const counts = new Map<string, number>();
  const update: Slice[] = [...changes.update];
  for (const slice of unchanged) {
    const own = hintsOf(slice);
    const fits =
      own !== undefined &&
      [...own].every(([zone, count]) => count + (counts.get(zone) ?? 0) <= (allocations.get(zone)?.most ?? -1));
    if (fits) for (const [zone, count] of own) add(counts, zone, count);
    else update.push(withoutHints(slice));
  }
  const hinted = [...changes.create, ...update];
  const zones = hinted.flatMap(({ endpoints }) => readyOnes(endpoints)).map(({ zone = '' }) => zone);
  if (zones.includes('')) return unhinted(changes, unchanged, 'One or more endpoints do not have a zone specified');
  for (const zone of zones) add(counts, zone, 1);
  const { give, get } = movesFor(allocations, counts);
  const zoneFor = ({ zone = '' }: Endpoint): string => {
    const [getting] = [...get].find(([, count]) => count > 0) ?? [];
    if (getting === undefined || (give.get(zone) ?? 0) === 0) return zone;
    add(give, zone, -1);
    add(get, getting, -1);
    add(counts, zone, -1);
    add(counts, getting, 1);
    return getting;
  };
  const hint = (slice: Slice): Slice => {
    const endpoints = (slice.endpoints ?? []) as readonly Endpoint[];
    const hinted = endpoints.map((endpoint) =>
      isReady(endpoint) ? { ...endpoint, hints: { forZones: [{ name: zoneFor(endpoint) }] } } : endpoint,
    );
    return { ...slice, endpoints: hinted };
  };
  const created = changes.create.map(hint);
  return { changes: { ...changes, create: created, update: update.map(hint) }, endpointsByZone: counts };
}

function unhinted(
  changes: SliceChanges,
  unchanged: readonly Observed<EndpointSlice>[],
  problem: string,
): HintedChanges {
  const marked = unchanged.filter(({ endpoints }) => (endpoints ?? []).some(({ hints }) => hints !== undefined));
  return { changes: { ...changes, update: [...changes.update, ...marked.map(withoutHints)] }, problem };
}

/** Endpoints per zone in a slice; undefined when a ready endpoint has no hint. */
function hintsOf({ endpoints }: Observed<EndpointSlice>): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const { hints } of readyOnes(endpoints)) {
    const { forZones = [] } = hints ?? {};
    if (forZones.length === 0) return undefined;
    for (const { name } of forZones) add(counts, name, 1);
  }
  return counts;
}

function readyOnes(endpoints: SomeEndpoints): readonly Endpoint[] {
  return ((endpoints ?? []) as readonly Endpoint[]).filter(isReady);
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}
