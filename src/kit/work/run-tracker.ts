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

/** The run of one tracker that code belongs to, and below it those of other trackers. */
interface Course {
  readonly tracker: RunTracker;
  readonly run: TrackedRun;
  readonly outer: Course | undefined;
}

/**
 * One storage for all trackers: Node.js 20 carries every storage that was ever used along with every promise of the process,
 * so a storage for each tracker would make each test cluster slow down all that come after it.
 */
const courses = new AsyncLocalStorage<Course>();

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
  #delivering: RunCause | undefined;
  /** Called when a run has ended. */
  onEnd: ((run: TrackedRun, record: ReconcileRecord) => void) | undefined;

  /** The run that the current code belongs to. */
  get current(): TrackedRun | undefined {
    let course = courses.getStore();
    while (course !== undefined && course.tracker !== this) course = course.outer;
    return course?.run;
  }

  /** The cause of work that is added now: the change that a handler is processing, or the run in progress. */
  get cause(): RunCause | undefined {
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
      return await courses.run({ tracker: this, run, outer: without(this, courses.getStore()) }, work);
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

/** The course without the runs of this tracker: a run that starts inside of another one of the same tracker hides it. */
function without(tracker: RunTracker, course: Course | undefined): Course | undefined {
  if (course === undefined) return undefined;
  const outer = without(tracker, course.outer);
  if (course.tracker === tracker) return outer;
  return outer === course.outer ? course : { ...course, outer };
}

/** Names the runs that have not ended, for messages: `websites default/a`. */
export function unfinished({ underWay }: Pick<RunTracker, 'underWay'>): string {
  return [...underWay].map(({ controller, key }) => `${controller} ${key}`).join(', ') || 'work';
}
