import type { Processor } from './machine-topology.ts';

/** A part of the machine that processors share. */
type Level = 'core' | 'uncoreCache' | 'numaNode' | 'socket';

export interface CpuChoiceOptions {
  /** Spreads processors over cores in place of filling cores. */
  readonly isSpread: boolean;
  /** Keeps processors below one shared cache where that is possible. */
  readonly isByCache: boolean;
}

/** Not enough processors are free. */
export class CpuShortage extends Error {
  override readonly name = 'CpuShortage';
}

/**
 * Chooses processors so that they share as much of the machine as possible: whole sockets and NUMA nodes first, then whole caches, cores,
 * and single processors; of parts that are equal, those with the fewest free processors, so that larger ones stay whole.
 */
export function chooseCpus(
  topology: readonly Processor[],
  { available, count }: { readonly available: ReadonlySet<number>; readonly count: number },
  { isSpread, isByCache }: CpuChoiceOptions,
): ReadonlySet<number> {
  if (count > available.size)
    throw new CpuShortage(
      `not enough cpus available to satisfy request: requested=${count}, available=${available.size}`,
    );
  const choice = new Choice(topology, available, count);
  const steps: readonly (() => void)[] = [
    ...choice.outerLevels.map((level) => () => choice.takeWhole(level)),
    ...(isByCache ? [() => choice.takeCaches()] : []),
    ...(isSpread ? [] : [() => choice.takeWhole('core')]),
    () => choice.takeSingle(isSpread),
  ];
  for (const step of steps) if (choice.missing > 0) step();
  return choice.taken;
}

/** The NUMA nodes with available processors, in the order in which they are chosen. */
export function orderedNodes(topology: readonly Processor[], available: ReadonlySet<number>): readonly number[] {
  return new Choice(topology, available, 0).ordered('numaNode');
}

/** The free processors of a machine in the order in which they are chosen. */
class Choice {
  readonly taken = new Set<number>();
  missing: number;
  /** From the outermost: sockets contain NUMA nodes on some machines, NUMA nodes contain sockets on others. */
  readonly outerLevels: readonly ['numaNode', 'socket'] | readonly ['socket', 'numaNode'];
  readonly #topology: readonly Processor[];
  #free: readonly Processor[];

  constructor(topology: readonly Processor[], available: ReadonlySet<number>, count: number) {
    this.missing = count;
    this.#topology = topology;
    this.#free = topology.filter(({ cpu }) => available.has(cpu));
    const parts = (level: Level): number => new Set(topology.map((each) => each[level])).size;
    this.outerLevels = parts('socket') >= parts('numaNode') ? ['numaNode', 'socket'] : ['socket', 'numaNode'];
  }

  /** Takes each part of the machine that is entirely free and not larger than what is missing. */
  takeWhole(level: Level): void {
    const whole = this.ordered(level).filter(
      (id) => this.#in(this.#free, level, id).length === this.#sizeOf(level, id),
    );
    for (const id of whole)
      if (this.missing >= this.#sizeOf(level, id)) this.#take(this.#in(this.#topology, level, id));
  }

  /** Takes whole caches, and a part of one cache for the rest if that has enough free cores. */
  takeCaches(): void {
    const perCache = this.#topology.length / new Set(this.#topology.map(({ uncoreCache }) => uncoreCache)).size;
    for (const cache of this.ordered('uncoreCache')) {
      if (this.missing >= perCache) this.takeWhole('uncoreCache');
      if (this.missing > 0) this.#takePartOf(cache);
      if (this.missing === 0) return;
    }
  }

  takeSingle(isSpread: boolean): void {
    const level = isSpread ? 'socket' : 'core';
    const order = this.ordered(level).flatMap((id) => this.#in(this.#free, level, id));
    this.#take(order.slice(0, this.missing));
  }

  #takePartOf(cache: number): void {
    const perCore = this.#topology.length / new Set(this.#topology.map(({ core }) => core)).size;
    const own = this.#in(this.#free, 'uncoreCache', cache);
    const cores = [...new Set(own.map(({ core }) => core))]
      .toSorted(ascending)
      .slice(0, Math.ceil(this.missing / perCore));
    const found = own.filter(({ core }) => cores.includes(core));
    const isOdd = this.missing % 2 !== 0 && perCore > 1 && found.length > this.missing;
    const part = isOdd ? found.slice(0, -1) : found;
    if (part.length === this.missing) this.#take(part);
  }

  /** The parts of a level that have free processors: within each outer part those with the fewest free processors first. */
  ordered(level: Level): readonly number[] {
    const [outer, inner] = this.outerLevels;
    if (level === outer) return this.#byFree(level, this.#free);
    const around = level === inner ? outer : level === 'uncoreCache' ? 'numaNode' : inner;
    return this.ordered(around).flatMap((id) => this.#byFree(level, this.#in(this.#free, around, id)));
  }

  #byFree(level: Level, processors: readonly Processor[]): number[] {
    const free = (id: number): number => this.#in(this.#free, level, id).length;
    const ids = [...new Set(processors.map((each) => each[level]))];
    return ids.sort((left, right) => free(left) - free(right) || left - right);
  }

  #in(processors: readonly Processor[], level: Level, id: number): readonly Processor[] {
    return processors.filter((each) => each[level] === id);
  }

  #sizeOf(level: Level, id: number): number {
    return this.#in(this.#topology, level, id).length;
  }

  #take(processors: readonly Processor[]): void {
    for (const { cpu } of processors) this.taken.add(cpu);
    this.missing -= processors.length;
    this.#free = this.#free.filter(({ cpu }) => !this.taken.has(cpu));
  }
}

function ascending(left: number, right: number): number {
  return left - right;
}
