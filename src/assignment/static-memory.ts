import { amountsOf, isSidecar, qosClassOf } from '../api/meaning/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { Checkpoints, ContainerSpec, ResourceTexts } from '../node/index.ts';
import type { AssignmentMetrics } from './assignment-metrics.ts';
import { binary } from './binary-size.ts';
import { isSameGroup, isSameMachine, type ReservedNodes, unusedMemory } from './machine-memory.ts';
import {
  type MachineMemory,
  type MemoryAssignments,
  type MemoryBlock,
  MemoryCheckpoint,
  type MemoryState,
} from './memory-state.ts';
import { type HintProvider, nodeSets, type ResourceHints, type TopologyHint } from './topology-hints.ts';

/** Bytes by kind of memory. */
type Sizes = ReadonlyMap<string, number>;

export interface StaticMemoryParts extends ReservedNodes {
  readonly checkpoints: Checkpoints;
  readonly metrics: AssignmentMetrics;
}

const MEMORY = 'memory';
const HUGE_PAGES = 'hugepages-';
const NO_HINTS: ResourceHints = new Map();

/** Refuses reservations of NUMA nodes that together are not what the node reserves. */
export function checkReservedMemory({ nodes, reserved }: ReservedNodes, ofNode: ResourceTexts): void {
  const totals = new Map<string, number>();
  for (const { numaNode, limits } of reserved) {
    if (!nodes.some(({ id }) => id === numaNode))
      throw new Error(
        `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`,
      );
    for (const [name, amount] of amountsOf(limits)) totals.set(name, (totals.get(name) ?? 0) + amount.value());
  }
  const expected = new Map(
    [...amountsOf(ofNode)].filter(([name]) => isMemory(name)).map(([name, amount]) => [name, amount.value()]),
  );
  for (const name of new Set([...totals.keys(), ...expected.keys()])) {
    const [given, wanted] = [totals.get(name) ?? 0, expected.get(name) ?? 0];
    if (given !== wanted)
      throw new Error(
        `the total amount "${binary(given)}" of type "${name}" is not equal to the value "${binary(wanted)}" determined by Node Allocatable feature`,
      );
  }
  if ((totals.get(MEMORY) ?? 0) <= 0) throw new Error('you should specify the system reserved memory');
}

/** Gives containers of guaranteed pods memory of some NUMA nodes only. A NUMA node is used alone, or always in the same group. */
export class StaticMemory implements HintProvider {
  readonly #checkpoint: MemoryCheckpoint;
  readonly #metrics: AssignmentMetrics;
  readonly #machine: MachineMemory;
  readonly #assigned: MemoryAssignments;
  /** Memory of init containers that have run when the other containers of the pod start, by pod, nodes and kind. */
  readonly #reusable = new Map<string, Map<string, number>>();

  static async open(parts: StaticMemoryParts): Promise<StaticMemory> {
    const checkpoint = new MemoryCheckpoint(parts.checkpoints, 'Static');
    return new StaticMemory(parts, checkpoint, await checkpoint.read());
  }

  private constructor(parts: StaticMemoryParts, checkpoint: MemoryCheckpoint, state: MemoryState | undefined) {
    this.#checkpoint = checkpoint;
    this.#metrics = parts.metrics;
    this.#machine = unusedMemory(parts);
    this.#assigned = state?.assigned ?? new Map();
    for (const containers of this.#assigned.values())
      for (const blocks of containers.values())
        for (const { numaAffinity, type, size } of blocks) this.#charge(numaAffinity, type, size);
    if (state !== undefined && !isSameMachine(state.machine, this.#machine))
      throw new Error(
        'the expected machine state is different from the real one, please drain this node and delete the file "memory_manager_state"',
      );
  }

  /** The memory that a container was given. */
  blocksOf(podUid: string, container: string): readonly MemoryBlock[] {
    return this.#assigned.get(podUid)?.get(container) ?? [];
  }

  /** The memory of each NUMA node that containers can be given, in use or not. */
  allocatable(): readonly MemoryBlock[] {
    return [...this.#machine].flatMap(([node, { memoryMap }]) =>
      Object.entries(memoryMap)
        .filter(([, { allocatable }]) => allocatable > 0)
        .map(([type, { allocatable: size }]) => ({ numaAffinity: [node], type, size })),
    );
  }

  /** The NUMA nodes whose memory a container uses; undefined for all. */
  nodesOf(podUid: string, container: string): readonly number[] | undefined {
    const blocks = this.#assigned.get(podUid)?.get(container);
    if (blocks === undefined) return undefined;
    return [...new Set(blocks.flatMap(({ numaAffinity }) => numaAffinity))].toSorted((left, right) => left - right);
  }

  podUids(): readonly string[] {
    return [...this.#assigned.keys()];
  }

  hints(pod: Observed<Pod>, container: ContainerSpec): ResourceHints {
    if (!isManaged(pod)) return NO_HINTS;
    const wanted = sizesOf(container);
    const own = this.#assigned.get(pod.metadata.uid)?.get(container.name);
    return own === undefined ? this.#hintsFor(pod, wanted) : hintsOf(own, wanted);
  }

  podHints(pod: Observed<Pod>): ResourceHints {
    const wanted = isManaged(pod) ? podSizes(pod) : new Map<string, number>();
    if (wanted.size === 0) return NO_HINTS;
    const [own] = this.#assigned.get(pod.metadata.uid)?.values() ?? [];
    return own === undefined ? this.#hintsFor(pod, wanted) : hintsOf(own, wanted);
  }

  async allocate(pod: Observed<Pod>, container: ContainerSpec, affinity: TopologyHint): Promise<void> {
    if (!isManaged(pod)) return;
    this.#metrics.add('kubelet_memory_manager_pinning_requests_total');
    try {
      await this.#give(pod, container, affinity);
    } catch (error) {
      this.#metrics.add('kubelet_memory_manager_pinning_errors_total');
      throw error;
    }
  }

  async #give(pod: Observed<Pod>, container: ContainerSpec, affinity: TopologyHint): Promise<void> {
    const { uid } = pod.metadata;
    const known = this.#assigned.get(uid)?.get(container.name);
    if (known !== undefined) return this.#noteReuse(pod, container, known);
    const wanted = sizesOf(container);
    const nodes = this.#place(pod, wanted, affinity);
    const blocks: MemoryBlock[] = [];
    for (const [type, size] of wanted) {
      blocks.push({ numaAffinity: nodes, type, size });
      const reused = Math.min(this.#reusable.get(uid)?.get(reuseKey(nodes, type)) ?? 0, size);
      this.#charge(nodes, type, size - reused);
    }
    this.#noteReuse(pod, container, blocks);
    const containers = this.#assigned.get(uid) ?? new Map<string, readonly MemoryBlock[]>();
    this.#assigned.set(uid, containers.set(container.name, blocks));
    this.#shrinkInit(pod, container, blocks);
    await this.#store();
  }

  async release(podUid: string): Promise<void> {
    const containers = this.#assigned.get(podUid);
    this.#reusable.delete(podUid);
    if (containers === undefined) return;
    this.#assigned.delete(podUid);
    for (const blocks of containers.values()) for (const block of blocks) this.#discharge(block);
    await this.#store();
  }

  /** The NUMA nodes that a container gets: the agreed ones, or more of them if they have too little memory. */
  #place(pod: Observed<Pod>, wanted: Sizes, affinity: TopologyHint): readonly number[] {
    let best: TopologyHint = affinity;
    const all = (): readonly TopologyHint[] => this.#hintsFor(pod, wanted).get(MEMORY) ?? [];
    if (best.nodes === undefined) {
      const found = bestOf(all());
      if (found === undefined)
        throw new Error(
          '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
        );
      if (!found.isPreferred && best.isPreferred)
        throw new Error('[memorymanager] failed to find the default preferred hint');
      best = found;
    }
    if (!this.#hasFree(best.nodes ?? [], wanted)) {
      const given = best.nodes ?? [];
      const found = bestOf(all().filter(({ nodes = [] }) => given.every((id) => nodes.includes(id))));
      if (found === undefined)
        throw new Error('[memorymanager] failed to find NUMA nodes to extend the current topology hint');
      if (!found.isPreferred && best.isPreferred)
        throw new Error('[memorymanager] failed to find the extended preferred hint');
      best = found;
    }
    const nodes = best.nodes ?? [];
    // as with a kubelet, an agreement on a single node counts although that node is used in a group
    if (nodes.length > 1 && this.#isViolating(nodes))
      throw new Error('[memorymanager] preferred hint violates NUMA node allocation');
    return nodes;
  }

  #hintsFor(pod: Observed<Pod>, wanted: Sizes): ResourceHints {
    const ids = [...this.#machine.keys()].toSorted((left, right) => left - right);
    let fewest = ids.length;
    const found: (readonly number[])[] = [];
    for (const nodes of nodeSets(ids)) {
      const sum = (kind: string, of: 'allocatable' | 'free'): number =>
        nodes.reduce((total, id) => total + (this.#machine.get(id)?.memoryMap[kind]?.[of] ?? 0), 0);
      if ([...wanted].some(([kind, size]) => sum(kind, 'allocatable') < size)) continue;
      fewest = Math.min(fewest, nodes.length);
      if (this.#isViolating(nodes)) continue;
      const reusable = this.#reusable.get(pod.metadata.uid);
      const fits = ([kind, size]: readonly [string, number]): boolean =>
        sum(kind, 'free') + (reusable?.get(reuseKey(nodes, kind)) ?? 0) >= size;
      if ([...wanted].every(fits)) found.push(nodes);
    }
    if (found.length === 0) return NO_HINTS;
    const hints = found.map((nodes) => ({ nodes, isPreferred: nodes.length === fewest }));
    return new Map([...wanted.keys()].map((kind) => [kind, hints]));
  }

  /** Whether a NUMA node is in use alone or in another group. */
  #isViolating(nodes: readonly number[]): boolean {
    const isSingle = nodes.length === 1;
    return nodes.some((id) => {
      const { numberOfAssignments = 0, cells = [] } = this.#machine.get(id) ?? {};
      if (isSingle) return cells.length > 1;
      return numberOfAssignments > 0 && (cells.length === 1 || !isSameGroup(cells, nodes));
    });
  }

  #hasFree(nodes: readonly number[], wanted: Sizes): boolean {
    return [...wanted].every(
      ([kind, size]) =>
        nodes.reduce((total, id) => total + (this.#machine.get(id)?.memoryMap[kind]?.free ?? 0), 0) >= size,
    );
  }

  #charge(nodes: readonly number[], kind: string, size: number): void {
    let left = size;
    for (const id of nodes) {
      const node = this.#machine.get(id);
      if (node === undefined) throw new Error(`the memory assignment uses NUMA node ${id}, which does not exist`);
      node.numberOfAssignments++;
      node.cells = nodes;
      const table = node.memoryMap[kind];
      if (table === undefined)
        throw new Error(`the memory assignment uses "${kind}", which NUMA node ${id} does not have`);
      const taken = Math.min(left, table.free);
      table.free -= taken;
      table.reserved += taken;
      left -= taken;
    }
  }

  #discharge({ numaAffinity, type, size }: MemoryBlock): void {
    let left = size;
    for (const id of numaAffinity) {
      const node = this.#machine.get(id);
      const table = node?.memoryMap[type];
      if (node === undefined || table === undefined) continue;
      node.numberOfAssignments--;
      if (node.numberOfAssignments === 0) node.cells = [id];
      const given = Math.min(left, table.reserved);
      table.free += given;
      table.reserved -= given;
      left -= given;
    }
  }

  /** What an init container had, its pod's later containers can have. */
  #noteReuse(pod: Observed<Pod>, container: ContainerSpec, blocks: readonly MemoryBlock[]): void {
    const { uid } = pod.metadata;
    for (const other of this.#reusable.keys()) if (other !== uid) this.#reusable.delete(other);
    const reusable = this.#reusable.get(uid) ?? new Map<string, number>();
    this.#reusable.set(uid, reusable);
    for (const { numaAffinity, type, size } of blocks) {
      const key = reuseKey(numaAffinity, type);
      const before = reusable.get(key) ?? 0;
      reusable.set(key, isInit(pod, container) ? Math.max(before, size) : Math.max(0, before - size));
    }
  }

  /** Memory that a container took over from init containers belongs to it from now on. */
  #shrinkInit(pod: Observed<Pod>, container: ContainerSpec, blocks: readonly MemoryBlock[]): void {
    const containers = this.#assigned.get(pod.metadata.uid);
    if (containers === undefined) return;
    for (const { numaAffinity, type, size } of blocks) {
      let left = size;
      for (const init of pod.spec?.initContainers ?? []) {
        if (init.name === container.name || isSidecar(init)) continue;
        const shrunk = (containers.get(init.name) ?? []).map((block) => {
          if (block.type !== type || !isSameGroup(block.numaAffinity, numaAffinity)) return block;
          const taken = Math.min(left, block.size);
          left -= taken;
          return { ...block, size: block.size - taken };
        });
        if (containers.has(init.name)) containers.set(init.name, shrunk);
      }
    }
  }

  #store(): Promise<void> {
    return this.#checkpoint.write({ machine: this.#machine, assigned: this.#assigned });
  }
}

/** Guaranteed pods without resources of the pod as a whole. */
function isManaged(pod: Observed<Pod>): boolean {
  return qosClassOf(pod) === 'Guaranteed' && pod.spec?.resources === undefined;
}

function isMemory(name: string): boolean {
  return name === MEMORY || name.startsWith(HUGE_PAGES);
}

function isInit({ spec }: Observed<Pod>, { name }: ContainerSpec): boolean {
  return spec?.initContainers?.some((each) => each.name === name && !isSidecar(each)) === true;
}

function sizesOf({ resources }: ContainerSpec): Sizes {
  return new Map(
    [...amountsOf(resources?.requests)]
      .filter(([name]) => isMemory(name))
      .map(([name, amount]) => [name, amount.value()]),
  );
}

/** The most memory that the pod's containers use at the same time. */
function podSizes({ spec }: Observed<Pod>): Sizes {
  const [starting, sidecars, running] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const add = (to: Map<string, number>, kind: string, size: number): void =>
    void to.set(kind, (to.get(kind) ?? 0) + size);
  for (const container of spec?.initContainers ?? [])
    for (const [kind, size] of sizesOf(container))
      if (isSidecar(container)) add(sidecars, kind, size);
      else starting.set(kind, Math.max(starting.get(kind) ?? 0, (sidecars.get(kind) ?? 0) + size));
  for (const container of spec?.containers ?? [])
    for (const [kind, size] of sizesOf(container)) add(running, kind, size);
  return new Map(
    [...running].map(([kind, size]) => [kind, Math.max(size + (sidecars.get(kind) ?? 0), starting.get(kind) ?? 0)]),
  );
}

/** The hints of memory that was given before; none when the request is another one now. */
function hintsOf(blocks: readonly MemoryBlock[], wanted: Sizes): ResourceHints {
  if (blocks.length !== wanted.size || blocks.some(({ type, size }) => wanted.get(type) !== size)) return NO_HINTS;
  return new Map(blocks.map(({ type, numaAffinity }) => [type, [{ nodes: numaAffinity, isPreferred: true }]]));
}

function bestOf(hints: readonly TopologyHint[]): TopologyHint | undefined {
  return hints.reduce<TopologyHint | undefined>((best, hint) => {
    if (best === undefined || (hint.isPreferred && !best.isPreferred)) return hint;
    if (best.isPreferred && !hint.isPreferred) return best;
    return (hint.nodes?.length ?? 0) < (best.nodes?.length ?? 0) ? hint : best;
  }, undefined);
}

function reuseKey(nodes: readonly number[], kind: string): string {
  return `${nodes.join(',')} ${kind}`;
}
