import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReconcileRecord } from '../trace.ts';

/** A run that is under way. */
export interface TrackedRun extends Pick<ReconcileRecord, 'controller' | 'key' | 'why'> {
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

  /** The run in whose course this is asked. */
  get current(): TrackedRun | undefined {
    return this.#course.getStore();
  }

  get underWay(): Iterable<TrackedRun> {
    return this.#underWay;
  }

  /** Does the work of a run. */
  async during<T>(info: Omit<TrackedRun, 'timers'>, work: () => Promise<T>): Promise<T> {
    const run: TrackedRun = { ...info, timers: 0 };
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
