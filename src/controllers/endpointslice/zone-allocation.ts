import { leastFor, type ZoneShares } from './zone-shares.ts';

/** The number of endpoints that a zone should get. */
interface Allocation {
  readonly most: number;
  readonly desired: number;
}

/** By zone; a string says why there is no allocation. */
export function allocate(count: number, shares: ZoneShares | undefined): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const figures = `(${count} endpoints, ${shares.size} zones)`;
  if (shares.size > count) return `Insufficient number of endpoints ${figures}`;
  const zones = [...shares].map(([zone, share]) => ({ zone, desired: share * count, least: leastFor(share * count) }));
  const spare = zones.reduce((left, { least }) => left - least, count);
  if (spare < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${figures}`;
  return new Map(
    zones.map(({ zone, desired, least }) => [zone, { most: least + spare, desired: Math.max(desired, least) }]),
  );
}

/** How many endpoints each zone gives away and receives. */
export interface Moves {
  readonly give: Map<string, number>;
  readonly get: Map<string, number>;
}

/** The moves that bring the zones closest to their allocation. */
export function movesFor(allocations: ReadonlyMap<string, Allocation>, has: ReadonlyMap<string, number>): Moves {
  const over = new Map<string, number>();
  const under = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (has.get(zone) ?? 0) - desired;
    if (difference > 0) over.set(zone, difference);
    else if (difference < 0) under.set(zone, -difference);
  }
  const moves: Moves = { give: new Map(), get: new Map() };
  for (;;) {
    const [giving, toGive] = largest(over);
    const [getting, toGet] = largest(under);
    if ((toGive < 1 && toGet < 1) || toGive < 0.5 || toGet < 0.5) return moves;
    add(moves.give, giving, 1);
    add(moves.get, getting, 1);
    add(over, giving, -1);
    add(under, getting, -1);
  }
}

export function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function largest(amounts: ReadonlyMap<string, number>): readonly [string, number] {
  let found: readonly [string, number] = ['', 0];
  for (const entry of amounts) if (entry[1] > found[1]) found = entry;
  return found;
}
