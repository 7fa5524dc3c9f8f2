import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReconcileRecord } from '../trace.ts';

/** The cause of a run: a change that a handler received, or an earlier run by its id. */
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

/** A run in progress. */
export interface TrackedRun extends Pick<ReconcileRecord, 'controller' | 'key' | 'why'> {
  /** Counts up from 1. */
  readonly id: number;
  readonly causes: readonly RunCause[];
  /** The workers that the run belongs to. */
  readonly workers: object;
  /** Timers that the run has set and that are pending; a virtual clock counts them. */
  timers: number;
}

/**
 * One storage for all trackers: Node.js 20 carries every storage that was ever used along with every promise of the process,
 * so a storage for each tracker would make each test cluster slow down all that come after it. It has the run of each tracker
 * that the current code belongs to.
 */
const runs = new AsyncLocalStorage<ReadonlyMap<RunTracker, TrackedRun>>();

/**
 * Knows which runs are in progress, and which run the current code belongs to.
 *
 * Tracking this costs a little with every promise, so only tests, and programs that report promises without await, use one.
 */
export class RunTracker {
  readonly #underWay = new Set<TrackedRun>();
  /** Runs by controller and key since the counts were last reset. */
  readonly #counts = new Map<string, number>();
  #lastId = 0;
  #isOn: boolean;
  #delivering: RunCause | undefined;
  /** Called when a run has ended. */
  onEnd: ((run: TrackedRun, record: ReconcileRecord) => void) | undefined;

  /** One that is not on tracks nothing, and costs nothing, until it is turned on. */
  constructor({ isOn = true }: { readonly isOn?: boolean } = {}) {
    this.#isOn = isOn;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Tracks runs from now on. */
  turnOn(): void {
    this.#isOn = true;
  }

  /** The run that the current code belongs to. */
  get current(): TrackedRun | undefined {
    return this.#isOn ? runs.getStore()?.get(this) : undefined;
  }

  /** The cause of work that is added now: the change that a handler is processing, or the run in progress. */
  get cause(): RunCause | undefined {
    if (!this.#isOn) return undefined;
    if (this.#delivering !== undefined) return this.#delivering;
    const { current } = this;
    return current === undefined ? undefined : { type: 'run', id: current.id };
  }

  /** Calls a handler with a change; what the handler adds before it returns or first awaits is caused by that change. */
  telling<T>(change: RunCause, tell: () => T): T {
    this.#delivering = change;
    try {
      return tell();
    } finally {
      this.#delivering = undefined;
    }
  }

  get underWay(): Iterable<TrackedRun> {
    return this.#underWay;
  }

  /** Registers a run that is about to start. */
  begin(info: Omit<TrackedRun, 'timers' | 'id'>): TrackedRun {
    this.#lastId += 1;
    return { id: this.#lastId, timers: 0, ...info };
  }

  /** Runs the work of a run. */
  async during<T>(run: TrackedRun, work: () => Promise<T>): Promise<T> {
    const name = `${run.controller} ${run.key}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#underWay.add(run);
    try {
      return await runs.run(new Map(runs.getStore()).set(this, run), work);
    } finally {
      this.#underWay.delete(run);
    }
  }

  /** The number of runs of these workers that wait for time to pass. */
  waiting(workers: object): number {
    return [...this.#underWay].filter((run) => run.workers === workers && run.timers > 0).length;
  }

  /** The largest number of runs for one object. */
  get mostRuns(): number {
    return Math.max(0, ...this.#counts.values());
  }

  forgetCounts(): void {
    this.#counts.clear();
  }
}

/** Names the runs that have not ended, for messages: `websites default/a`. */
export function unfinished({ underWay }: Pick<RunTracker, 'underWay'>): string {
  return [...underWay].map(({ controller, key }) => `${controller} ${key}`).join(', ') || 'work';
}
