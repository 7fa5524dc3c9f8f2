import type { PodInfo } from '../cache/pod-info.ts';

/** The key of a value that a plugin stores for the duration of a cycle. */
export interface CycleKey<T> {
  readonly name: string;
  /** Only carries the type. */
  readonly value?: T;
}

/** One attempt to schedule one pod, with the state that plugins store on the way. */
export class Cycle {
  readonly pod: PodInfo;
  readonly #state = new Map<CycleKey<unknown>, unknown>();
  #skippedFilters = new Set<string>();
  readonly #skippedScores = new Set<string>();

  constructor(pod: PodInfo) {
    this.pod = pod;
  }

  read<T>(key: CycleKey<T>): T {
    const value = this.#state.get(key);
    if (value === undefined) throw new Error(`Cannot read "${key.name}" of the scheduling cycle: it was not written`);
    return value as T;
  }

  has(key: CycleKey<unknown>): boolean {
    return this.#state.has(key);
  }

  write<T>(key: CycleKey<T>, value: T): void {
    this.#state.set(key, value);
  }

  /** A copy for a trial: cloneable state is cloned; other state must not change after it was written. */
  clone(): Cycle {
    const copy = new Cycle(this.pod);
    for (const [key, value] of this.#state) copy.#state.set(key, isCloneable(value) ? value.clone() : value);
    copy.#skippedFilters = this.#skippedFilters; // shared: it does not change after PreFilter
    return copy;
  }

  /** Plugins whose Filter does not apply to the pod. */
  get skippedFilters(): Set<string> {
    return this.#skippedFilters;
  }

  /** Plugins whose Score does not apply to the pod. */
  get skippedScores(): Set<string> {
    return this.#skippedScores;
  }
}

function isCloneable(value: unknown): value is { clone(): unknown } {
  return typeof (value as { clone?: unknown }).clone === 'function';
}
