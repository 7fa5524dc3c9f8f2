import type { PodInfo } from '../cache/pod-info.ts';

/** Names something that a plugin keeps for the length of a cycle. */
export interface CycleKey<T> {
  readonly name: string;
  /** For the compiler only. */
  readonly value?: T;
}

/** One try to place one pod, with what plugins have worked out on the way. */
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

  /** A copy for a trial: state that can be cloned is the copy's own, other state must not change after it was written. */
  clone(): Cycle {
    const copy = new Cycle(this.pod);
    for (const [key, value] of this.#state) copy.#state.set(key, isCloneable(value) ? value.clone() : value);
    copy.#skippedFilters = this.#skippedFilters; // it does not change after PreFilter
    return copy;
  }

  /** Plugins whose Filter has nothing to say about the pod. */
  get skippedFilters(): Set<string> {
    return this.#skippedFilters;
  }

  /** Plugins whose Score has nothing to say about the pod. */
  get skippedScores(): Set<string> {
    return this.#skippedScores;
  }
}

function isCloneable(value: unknown): value is { clone(): unknown } {
  return typeof (value as { clone?: unknown }).clone === 'function';
}
