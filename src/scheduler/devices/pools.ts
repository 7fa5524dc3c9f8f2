import { compileTerm } from '../../api/meaning/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import { index, type Node, type Observed, ResourceSlice } from '../../client/index.ts';
import type { Lister } from '../framework/plugin-context.ts';
import type { Device, Pool, Slice } from './device.ts';

/** The node restrictions of a slice, or of a device in a slice with per-device node selection. */
type Reach = Pick<Slice['spec'], 'nodeName' | 'nodeSelector' | 'allNodes'>;

const EVERYWHERE = '';

/** Slices by the only node that can use them; slices with shared counters are in every node's list. */
const slicesByNode = index(ResourceSlice, ({ spec }) => {
  const { nodeName = '', sharedCounters = [] } = spec;
  return sharedCounters.length > 0 ? EVERYWHERE : nodeName;
});

const slicesByPool = index(ResourceSlice, ({ spec }) => `${spec.driver}/${spec.pool.name}`);

/** Slices and a cache of pools. A cached pool is valid as long as its slices are the same objects. */
export interface PoolSources {
  readonly slices: Lister<ResourceSlice>;
  /** Cached pools by their first slice. */
  readonly known: WeakMap<Slice, Pool>;
}

/** Whether the node matches the node restrictions. */
export function reaches({ nodeName = '', allNodes, nodeSelector }: Reach, node: Observed<Node>): boolean {
  if (nodeName !== '') return node.metadata.name === nodeName;
  if (allNodes === true) return true;
  const tests = (nodeSelector?.nodeSelectorTerms ?? []).map(compileTerm);
  return tests.some((test) => test?.(node));
}

/**
 * The pools with devices that a node can use, in the order in which they are tried: by driver and name, pools with
 * binding conditions last. Slices of older generations are ignored.
 */
export function poolsFor(node: Observed<Node>, { slices, known }: PoolSources): readonly Pool[] {
  const newest = new Map<string, Slice[]>();
  for (const name of [node.metadata.name, EVERYWHERE])
    for (const slice of slices.byIndex(slicesByNode, name)) if (isForNode(slice, node)) addNewest(newest, slice);
  const pools = [...newest.values()].flatMap((found) => knownPool(found, known) ?? poolOf(found, slices) ?? []);
  for (const pool of pools)
    if (pool.otherSlices.length === 0 && pool.slices[0] !== undefined) known.set(pool.slices[0], pool);
  return pools.toSorted(
    (left, right) =>
      Number(needsPreparation(left)) - Number(needsPreparation(right)) ||
      compareUtf8(left.driver, right.driver) ||
      compareUtf8(left.name, right.name),
  );
}

function isForNode({ spec }: Slice, node: Observed<Node>): boolean {
  if ((spec.sharedCounters ?? []).length > 0) return true;
  if (spec.perDeviceNodeSelection === true) return (spec.devices ?? []).some((device) => reaches(device, node));
  return reaches(spec, node);
}

function addNewest(pools: Map<string, Slice[]>, slice: Slice): void {
  const { driver, pool } = slice.spec;
  const key = `${driver}/${pool.name}`;
  const known = pools.get(key);
  const generation = known?.[0]?.spec.pool.generation ?? -1;
  if (known === undefined || pool.generation > generation) pools.set(key, [slice]);
  else if (pool.generation === generation) known.push(slice);
}

/** Returns the cached pool if the pool has one slice. */
function knownPool(found: readonly Slice[], known: WeakMap<Slice, Pool>): Pool | undefined {
  const [only] = found;
  if (only === undefined || found.length !== 1 || only.spec.pool.resourceSliceCount !== 1) return undefined;
  return known.get(only);
}

/** Undefined for a pool whose newest generation the node cannot use. */
function poolOf(found: readonly Slice[], all: Lister<ResourceSlice>): Pool | undefined {
  const { driver, pool } = (found[0] as Slice).spec;
  const empty = { driver, name: pool.name, slices: [], otherSlices: [], counters: new Map() };
  const byName = found.toSorted((left, right) => compareUtf8(left.metadata.name, right.metadata.name));
  let others: readonly Slice[] = [];
  if (found.length !== pool.resourceSliceCount) {
    const whole = all.byIndex(slicesByPool, `${driver}/${pool.name}`);
    if (whole.some(({ spec }) => spec.pool.generation > pool.generation)) return undefined;
    const current = whole.filter(({ spec }) => spec.pool.generation === pool.generation);
    if (current.length !== pool.resourceSliceCount) return { ...empty, state: 'incomplete' };
    const names = new Set(found.map(({ metadata }) => metadata.name));
    others = current.filter(({ metadata }) => !names.has(metadata.name));
  }
  const counters = countersOf(byName);
  const slices = byName.filter(({ spec }) => (spec.sharedCounters ?? []).length === 0);
  const isValid =
    counters !== undefined &&
    hasDistinctNames(slices) &&
    [...slices, ...others].every((slice) => drawsOn(slice, counters));
  if (!isValid) return { ...empty, state: 'invalid' };
  return { driver, name: pool.name, state: 'usable', slices, otherSlices: others, counters };
}

/** Undefined when two counter sets have the same name. */
function countersOf(slices: readonly Slice[]): Pool['counters'] | undefined {
  const sets = new Map<string, ReadonlyMap<string, string>>();
  for (const { spec } of slices)
    for (const { name, counters } of spec.sharedCounters ?? []) {
      if (sets.has(name)) return undefined;
      sets.set(name, new Map(Object.entries(counters).map(([counter, { value }]) => [counter, value])));
    }
  return sets;
}

function hasDistinctNames(slices: readonly Slice[]): boolean {
  const names = slices.flatMap(({ spec }) => (spec.devices ?? []).map(({ name }) => name));
  return new Set(names).size === names.length;
}

/** Whether all counters that the slice's devices consume exist. */
function drawsOn({ spec }: Slice, counters: Pool['counters']): boolean {
  const draws = (device: Device): boolean =>
    (device.consumesCounters ?? []).every(({ counterSet, counters: wanted }) => {
      const set = counters.get(counterSet);
      return set !== undefined && Object.keys(wanted).every((name) => set.has(name));
    });
  return (spec.devices ?? []).every(draws);
}

function needsPreparation({ slices }: Pool): boolean {
  return slices.some(({ spec }) =>
    (spec.devices ?? []).some(({ bindingConditions }) => bindingConditions !== undefined),
  );
}
