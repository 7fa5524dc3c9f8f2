import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReconcileRecord } from '../trace.ts';

/** What led to a run: a change of an object that a handler was told of, or an earlier run by its id. */
export type RunCause =
  | {
      readonly type: 'change';
      readonly kind: string;
      /** `namespace/name`, or the name alone. */
      readonly key: string;
      readonly change: 'added' | 'changed' | 'deleted';
      readonly resourceVersion: string;
    }
  | { readonly type: 'run'; readonly id: number };

/** A run that is under way. */
export interface TrackedRun extends Pick<ReconcileRecord, 'controller' | 'key' | 'why'> {
  /** Counts up; the first of a tracker is 1. */
  readonly id: number;
  readonly causes: readonly RunCause[];
  /** The workers whose run it is. */
  readonly workers: object;
  /** Timers that the run has set and that are not due; a virtual clock counts them. */
  timers: number;
}

/**
 * Knows which runs are under way, and in the course of which one something happens.
 *
 * Following the course of runs costs a little with every promise; so only tests, and programs that want to know who has forgotten
 * a promise, have one.
 */
export class RunTracker {
  readonly #course = new AsyncLocalStorage<TrackedRun>();
  readonly #underWay = new Set<TrackedRun>();
  /** Runs by controller and key since they were last forgotten. */
  readonly #counts = new Map<string, number>();
  #lastId = 0;
  #told: RunCause | undefined;
  /** Told of each run that has ended. */
  onEnd: ((run: TrackedRun, record: ReconcileRecord) => void) | undefined;

  /** The run in whose course this is asked. */
  get current(): TrackedRun | undefined {
    return this.#course.getStore();
  }

  /** What leads to the work that is added now: the change that a handler is being told of, or the run that is under way. */
  get cause(): RunCause | undefined {
    if (this.#told !== undefined) return this.#told;
    const { current } = this;
    return current === undefined ? undefined : { type: 'run', id: current.id };
  }

  /** Tells a handler of a change; what it adds before it returns, or first awaits, is caused by that. */
  telling<T>(change: RunCause, tell: () => T): T {
    this.#told = change;
    try {
      return tell();
    } finally {
      this.#told = undefined;
    }
  }

  get underWay(): Iterable<TrackedRun> {
    return this.#underWay;
  }

  /** A run that is about to begin. */
  begin(info: Omit<TrackedRun, 'timers' | 'id'>): TrackedRun {
    this.#lastId += 1;
    return { id: this.#lastId, timers: 0, ...info };
  }

  /** Does the work of a run. */
  async during<T>(run: TrackedRun, work: () => Promise<T>): Promise<T> {
    const name = `${run.controller} ${run.key}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#underWay.add(run);
    try {
      return await this.#course.run(run, work);
    } finally {
      this.#underWay.delete(run);
    }
  }

  /** Runs of these workers that wait for time to pass. */
  waiting(workers: object): number {
    return [...this.#underWay].filter((run) => run.workers === workers && run.timers > 0).length;
  }

  /** How often the object was worked on that was worked on most. */
  get mostRuns(): number {
    return Math.max(0, ...this.#counts.values());
  }

  forgetCounts(): void {
    this.#counts.clear();
  }
}
