import type { PluginDevice } from './plugin-connection.ts';

/** A set of NUMA nodes that devices can be taken from; see the topology manager of the node. */
export interface DeviceHint {
  readonly nodes: readonly number[] | undefined;
  readonly isPreferred: boolean;
}

export interface HintRequest {
  readonly count: number;
  readonly devices: ReadonlyMap<string, PluginDevice>;
  readonly available: ReadonlySet<string>;
  readonly reusable: ReadonlySet<string>;
  /** The NUMA nodes of the machine. */
  readonly machineNodes: readonly number[];
}

/** A NUMA node more doubles the sets to look at. */
const MAX_NODES = 16;

export function hasTopology(devices: ReadonlyMap<string, PluginDevice>): boolean {
  for (const { nodes } of devices.values()) if (nodes.length > 0) return true;
  return false;
}

/** The sets of NUMA nodes with enough free devices; those of the smallest size that could ever do are preferred. */
export function deviceHints(request: HintRequest): readonly DeviceHint[] {
  const { count, devices, available, reusable } = request;
  const nodes = nodesOf(request);
  /** Devices by the set of their NUMA nodes: there are few such sets, and may be thousands of devices. */
  const groups = new Map<string, { nodes: readonly number[]; all: number; free: number; reused: number }>();
  for (const device of devices.values()) {
    const key = device.nodes.join(',');
    const group = groups.get(key) ?? { nodes: device.nodes, all: 0, free: 0, reused: 0 };
    groups.set(key, group);
    group.all += 1;
    if (reusable.has(device.id)) group.reused += 1;
    if (available.has(device.id)) group.free += 1;
  }
  let smallest = nodes.length;
  const found: (readonly number[])[] = [];
  for (const set of subsets(nodes)) {
    const within = [...groups.values()].filter((group) => group.nodes.some((node) => set.includes(node)));
    if (sum(within, 'all') >= count) smallest = Math.min(smallest, set.length);
    const isReusedOutside = [...groups.values()].some(
      (group) => group.reused > 0 && group.nodes.length > 0 && !within.includes(group),
    );
    if (!isReusedOutside && sum(within, 'free') + sum(within, 'reused') >= count) found.push(set);
  }
  return found.map((set) => ({ nodes: set, isPreferred: set.length === smallest }));
}

function nodesOf({ devices, machineNodes }: HintRequest): readonly number[] {
  const near = new Set([...devices.values()].flatMap((device) => device.nodes));
  const known = machineNodes.filter((node) => near.has(node));
  return (known.length === 0 ? machineNodes : known).slice(0, MAX_NODES);
}

function sum(groups: readonly { all: number; free: number; reused: number }[], of: 'all' | 'free' | 'reused'): number {
  return groups.reduce((total, group) => total + group[of], 0);
}

/** All sets of these numbers but the empty one, the smaller first. */
function subsets(nodes: readonly number[]): readonly (readonly number[])[] {
  let sets: (readonly number[])[] = [[]];
  for (const node of nodes) sets = [...sets, ...sets.map((set) => [...set, node])];
  return sets.slice(1).toSorted((left, right) => left.length - right.length);
}
