import { amountsOf, isSidecar, qosClassOf } from '../api/meaning/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { Checkpoints, ContainerSpec } from '../node/index.ts';
import { formatCpuList } from './cpu-list.ts';
import type { Processor } from './machine-topology.ts';
import type { AssignmentMetrics } from './assignment-metrics.ts';
import type { StaticCpuOptions } from './assignment-options.ts';
import { chooseCpus } from './cpu-choice.ts';
import { CpuCheckpoint, type CpuState } from './cpu-checkpoint.ts';
import { distributeCpus } from './cpu-distribution.ts';
import {
  AdmissionError,
  type HintProvider,
  nodeSets,
  type ResourceHints,
  type TopologyHint,
} from './topology-hints.ts';

type CpuSet = ReadonlySet<number>;

export interface StaticCpuParts {
  readonly topology: readonly Processor[];
  readonly options: StaticCpuOptions;
  /** Not given to any container alone. */
  readonly reserved: CpuSet;
  readonly checkpoints: Checkpoints;
  readonly metrics: AssignmentMetrics;
}

const CPU = 'cpu';
const NO_HINTS: ResourceHints = new Map();
const NONE: CpuSet = new Set();

/** The processors that are reserved: those that are listed, or as many as are asked for, from the first core on. */
export function reservedCpus(
  topology: readonly Processor[],
  { listed, milliCpu }: { readonly listed: readonly number[]; readonly milliCpu: number },
  options: StaticCpuOptions,
): CpuSet {
  if (milliCpu <= 0 && listed.length === 0)
    throw new Error('the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero');
  const count = listed.length > 0 ? listed.length : Math.ceil(milliCpu / 1000);
  const all = new Set(topology.map(({ cpu }) => cpu));
  const reserved = listed.length > 0 ? new Set(listed) : take({ topology, options }, all, count);
  const unknown = [...reserved].filter((cpu) => !all.has(cpu));
  if (unknown.length > 0)
    throw new Error(`unable to reserve the CPUs ${formatCpuList(unknown)}: the machine has ${formatCpuList(all)}`);
  return reserved;
}

/** Gives containers of guaranteed pods that ask for whole processors some of their own; all others share what is left. */
export class StaticCpus implements HintProvider {
  readonly #parts: StaticCpuParts;
  readonly #checkpoint: CpuCheckpoint;
  /** The cores of reserved processors, with all their threads. */
  readonly #reservedCores: CpuSet;
  readonly #threadsPerCore: number;
  #shared: CpuSet;
  readonly #assigned: Map<string, Map<string, CpuSet>>;
  /** Processors of init containers that have run when the other containers of the pod start. */
  readonly #reusable = new Map<string, CpuSet>();

  static async open(parts: StaticCpuParts): Promise<StaticCpus> {
    const checkpoint = new CpuCheckpoint(parts.checkpoints, 'static');
    return new StaticCpus(parts, checkpoint, await checkpoint.read());
  }

  private constructor(parts: StaticCpuParts, checkpoint: CpuCheckpoint, state: CpuState | undefined) {
    const { topology, reserved } = parts;
    this.#parts = parts;
    this.#checkpoint = checkpoint;
    const cores = new Set(topology.filter(({ cpu }) => reserved.has(cpu)).map(({ core }) => core));
    this.#reservedCores = new Set(topology.filter(({ core }) => cores.has(core)).map(({ cpu }) => cpu));
    this.#threadsPerCore = topology.length / new Set(topology.map(({ core }) => core)).size;
    this.#shared = state?.shared ?? this.#shareable();
    this.#assigned = new Map([...(state?.assigned ?? [])].map(([uid, containers]) => [uid, new Map(containers)]));
    if (state !== undefined) this.#check();
  }

  /** The processors that a container has alone; undefined for containers that share. */
  exclusive(podUid: string, container: string): CpuSet | undefined {
    return this.#assigned.get(podUid)?.get(container);
  }

  /** The processors of all containers that have none alone. */
  get shared(): CpuSet {
    return this.#shared;
  }

  /** Whether a container has the processor alone. */
  isGiven(cpu: number): boolean {
    return [...this.#assigned.values()].some((containers) => [...containers.values()].some((own) => own.has(cpu)));
  }

  /** How many processors could be given to containers alone now. */
  get givableCount(): number {
    return this.#available().size;
  }

  /** The processors that containers can have alone, in use or not. */
  allocatable(): CpuSet {
    const { topology, reserved } = this.#parts;
    return difference(new Set(topology.map(({ cpu }) => cpu)), reserved);
  }

  /** The uids of all pods that have processors alone. */
  podUids(): readonly string[] {
    return [...this.#assigned.keys()];
  }

  hints(pod: Observed<Pod>, container: ContainerSpec): ResourceHints {
    const count = exclusiveCount(pod, container);
    if (count === 0) return NO_HINTS;
    const own = this.exclusive(pod.metadata.uid, container.name);
    if (own !== undefined) return new Map([[CPU, own.size === count ? this.#hintsFor(count, own, NONE) : []]]);
    return new Map([[CPU, this.#hintsFor(count, this.#available(), this.#reusable.get(pod.metadata.uid) ?? NONE)]]);
  }

  podHints(pod: Observed<Pod>): ResourceHints {
    const count = podCount(pod);
    if (count === 0) return NO_HINTS;
    const assigned = new Set<number>();
    for (const container of allContainers(pod)) {
      const own = this.exclusive(pod.metadata.uid, container.name);
      if (own === undefined) continue;
      if (own.size !== exclusiveCount(pod, container)) return new Map([[CPU, []]]);
      for (const cpu of own) assigned.add(cpu);
    }
    if (assigned.size === count) return new Map([[CPU, this.#hintsFor(count, assigned, NONE)]]);
    const reusable = union(this.#reusable.get(pod.metadata.uid) ?? NONE, assigned);
    return new Map([[CPU, this.#hintsFor(count, this.#available(), reusable)]]);
  }

  async allocate(pod: Observed<Pod>, container: ContainerSpec, affinity: TopologyHint): Promise<void> {
    if (exclusiveCount(pod, container) === 0) return;
    const { metrics, options } = this.#parts;
    metrics.add('kubelet_cpu_manager_pinning_requests_total');
    const boundary = { boundary: 'physical_cpu', scope: 'container' };
    try {
      await this.#give(pod, container, affinity);
      if (options.hasFullCores) metrics.add('kubelet_container_aligned_compute_resources_count', boundary);
    } catch (error) {
      metrics.add('kubelet_cpu_manager_pinning_errors_total');
      if (options.hasFullCores) metrics.add('kubelet_container_aligned_compute_resources_failure_count', boundary);
      throw error;
    }
  }

  async #give(pod: Observed<Pod>, container: ContainerSpec, affinity: TopologyHint): Promise<void> {
    const { uid } = pod.metadata;
    const count = exclusiveCount(pod, container);
    this.#checkCores(count);
    const known = this.exclusive(uid, container.name);
    if (known !== undefined) return this.#noteReuse(pod, container, known);
    const available = union(this.#available(), this.#reusable.get(uid) ?? NONE);
    const aligned = affinity.nodes === undefined ? NONE : this.#near(affinity.nodes, available);
    const near = take(this.#parts, aligned, Math.min(count, aligned.size));
    const far = take(this.#parts, difference(available, near), count - near.size);
    const own = union(near, far);
    const containers = this.#assigned.get(uid) ?? new Map<string, CpuSet>();
    this.#assigned.set(uid, containers.set(container.name, own));
    this.#shared = difference(this.#shared, own);
    this.#noteReuse(pod, container, own);
    await this.#store();
  }

  async release(podUid: string): Promise<void> {
    const containers = this.#assigned.get(podUid);
    this.#reusable.delete(podUid);
    if (containers === undefined) return;
    this.#assigned.delete(podUid);
    for (const own of containers.values()) this.#shared = union(this.#shared, own);
    await this.#store();
  }

  #shareable(): CpuSet {
    const { topology, options, reserved } = this.#parts;
    const all = new Set(topology.map(({ cpu }) => cpu));
    return options.isStrict ? difference(all, reserved) : all;
  }

  #available(): CpuSet {
    return difference(this.#shared, this.#parts.reserved);
  }

  /** What an init container had, its pod's later containers can have; sidecars and other containers keep theirs. */
  #noteReuse(pod: Observed<Pod>, container: ContainerSpec, own: CpuSet): void {
    const { uid } = pod.metadata;
    for (const other of this.#reusable.keys()) if (other !== uid) this.#reusable.delete(other);
    const before = this.#reusable.get(uid) ?? NONE;
    const isInit = pod.spec?.initContainers?.some((each) => each.name === container.name && !isSidecar(each)) === true;
    this.#reusable.set(uid, isInit ? union(before, own) : difference(before, own));
  }

  #checkCores(count: number): void {
    if (!this.#parts.options.hasFullCores) return;
    const perCore = this.#threadsPerCore;
    if (count % perCore !== 0)
      throw new AdmissionError(
        'SMTAlignmentError',
        `SMT Alignment Error: requested ${count} cpus not multiple cpus per core = ${perCore}`,
      );
    const free = difference(this.#shared, this.#reservedCores).size;
    if (count > free)
      throw new AdmissionError(
        'SMTAlignmentError',
        `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${free}, requested CPUs = ${count}, CPUs per core = ${perCore}`,
      );
  }

  #near(nodes: readonly number[], available: CpuSet): CpuSet {
    const { topology, options } = this.#parts;
    const sockets = new Set(topology.filter(({ numaNode }) => nodes.includes(numaNode)).map(({ socket }) => socket));
    const isNear = ({ numaNode, socket }: Processor): boolean =>
      options.isBySocket ? sockets.has(socket) : nodes.includes(numaNode);
    return new Set(topology.filter((each) => available.has(each.cpu) && isNear(each)).map(({ cpu }) => cpu));
  }

  /** All sets of NUMA nodes with enough processors; preferred are those with the fewest nodes that could ever do. */
  #hintsFor(count: number, available: CpuSet, reusable: CpuSet): readonly TopologyHint[] {
    const { topology } = this.#parts;
    const nodeIds = [...new Set(topology.map(({ numaNode }) => numaNode))].toSorted((left, right) => left - right);
    const counts = new Map(nodeIds.map((id) => [id, { all: 0, available: 0, reusable: 0 }]));
    for (const { cpu, numaNode } of topology) {
      const own = counts.get(numaNode);
      if (own === undefined) continue;
      own.all += 1;
      if (available.has(cpu)) own.available += 1;
      if (reusable.has(cpu)) own.reusable += 1;
    }
    let fewest = nodeIds.length;
    const found: (readonly number[])[] = [];
    for (const nodes of nodeSets(nodeIds)) {
      const sum = (of: 'all' | 'available' | 'reusable'): number =>
        nodes.reduce((total, id) => total + (counts.get(id)?.[of] ?? 0), 0);
      if (sum('all') >= count) fewest = Math.min(fewest, nodes.length);
      if (sum('reusable') < reusable.size) continue;
      if (sum('reusable') + sum('available') >= count) found.push(nodes);
    }
    return found.map((nodes) => ({
      nodes,
      isPreferred: nodes.length === fewest || this.#isAlignedBySocket(nodes, fewest),
    }));
  }

  #isAlignedBySocket(nodes: readonly number[], fewest: number): boolean {
    const { topology, options } = this.#parts;
    if (!options.isBySocket) return false;
    const parts = (level: 'numaNode' | 'socket', of: readonly Processor[]): number =>
      new Set(of.map((each) => each[level])).size;
    const perSocket = Math.trunc(parts('numaNode', topology) / parts('socket', topology));
    if (perSocket === 0) return false;
    const used = parts(
      'socket',
      topology.filter(({ numaNode }) => nodes.includes(numaNode)),
    );
    return used === Math.ceil(fewest / perSocket);
  }

  /** Refuses a state that does not suit the machine: processors went offline, or the reservation was changed. */
  #check(): void {
    const { options, reserved } = this.#parts;
    const shared = this.#shared;
    const inBoth = intersection(reserved, shared);
    const text = (cpus: CpuSet): string => JSON.stringify(formatCpuList(cpus));
    if (options.isStrict && inBoth.size > 0)
      throw new Error(`some of strictly reserved cpus: ${text(inBoth)} are present in defaultCpuSet: ${text(shared)}`);
    if (!options.isStrict && inBoth.size < reserved.size)
      throw new Error(`not all reserved cpus: ${text(reserved)} are present in defaultCpuSet: ${text(shared)}`);
    let known = shared;
    for (const [uid, containers] of this.#assigned)
      for (const [name, own] of containers) {
        if (intersection(shared, own).size > 0)
          throw new Error(
            `pod: ${uid}, container: ${name} cpuset: ${text(own)} overlaps with default cpuset ${text(shared)}`,
          );
        known = union(known, own);
      }
    const all = this.#shareable();
    if (formatCpuList(known) !== formatCpuList(all))
      throw new Error(`current set of available CPUs ${text(all)} doesn't match with CPUs in state ${text(known)}`);
  }

  #store(): Promise<void> {
    return this.#checkpoint.write({ shared: this.#shared, assigned: this.#assigned });
  }
}

function take(
  { topology, options }: Pick<StaticCpuParts, 'topology' | 'options'>,
  available: CpuSet,
  count: number,
): CpuSet {
  if (count === 0) return NONE;
  const { isDistributed, isSpread, isByCache, hasFullCores } = options;
  if (!isDistributed) return chooseCpus(topology, { available, count }, { isSpread, isByCache });
  const groupSize = hasFullCores ? topology.length / new Set(topology.map(({ core }) => core)).size : 1;
  return distributeCpus(topology, { available, count }, { groupSize, isSpread });
}

function allContainers({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

/** How many processors a container gets alone: whole numbers in guaranteed pods without resources of the pod as a whole. */
function exclusiveCount(pod: Observed<Pod>, { resources }: ContainerSpec): number {
  if (qosClassOf(pod) !== 'Guaranteed' || pod.spec?.resources !== undefined) return 0;
  const milliCpu = amountsOf(resources?.requests).get(CPU)?.milliValue() ?? 0;
  return milliCpu % 1000 === 0 ? milliCpu / 1000 : 0;
}

/** The most processors that the pod's containers have alone at the same time. */
function podCount(pod: Observed<Pod>): number {
  let [sidecars, starting] = [0, 0];
  for (const container of pod.spec?.initContainers ?? []) {
    const count = exclusiveCount(pod, container);
    if (isSidecar(container)) sidecars += count;
    else starting = Math.max(starting, sidecars + count);
  }
  const running = (pod.spec?.containers ?? []).reduce((sum, each) => sum + exclusiveCount(pod, each), sidecars);
  return Math.max(starting, running);
}

function union(left: CpuSet, right: CpuSet): CpuSet {
  return new Set([...left, ...right]);
}

function difference(left: CpuSet, right: CpuSet): CpuSet {
  return new Set([...left].filter((cpu) => !right.has(cpu)));
}

function intersection(left: CpuSet, right: CpuSet): CpuSet {
  return new Set([...left].filter((cpu) => right.has(cpu)));
}
