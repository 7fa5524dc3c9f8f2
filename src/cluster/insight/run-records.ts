import { messageOf } from '../../base/index.ts';
import type { ReconcileRecord, RunCause, RunTracker, TrackedRun } from '../../kit/index.ts';

/** A run of a controller, as `/keelson/runs` shows it. */
export interface RunRecord {
  readonly id: number;
  readonly controller: string;
  readonly key: string;
  readonly why: readonly string[];
  /** The changes that were seen, and earlier runs, which led to it. */
  readonly causes: readonly RunCause[];
  /** RFC 3339, with milliseconds. */
  readonly time: string;
  readonly durationMs: number;
  readonly outcome: ReconcileRecord['outcome'];
  readonly message?: string;
}

/** Runs that are kept; beyond it the oldest tenth is dropped. */
const CAPACITY = 5000;
const MAX_CAUSES = 20;
const MAX_MESSAGE = 1024;

/** The most recent runs of the cluster's controllers, from the first request for them on. */
export class RunRecords {
  readonly #tracker: RunTracker;
  #records: RunRecord[] = [];

  /** The tracker must not be on yet. */
  constructor(tracker: RunTracker) {
    this.#tracker = tracker;
    tracker.onEnd = (run, record) => this.#note(run, record);
  }

  /** The runs after the one with this id, oldest first. Runs are recorded from the first call on. */
  list(after = 0): readonly RunRecord[] {
    this.#tracker.turnOn();
    return after === 0 ? this.#records : this.#records.filter(({ id }) => id > after);
  }

  /** The runs in progress, which have no time and no end yet. */
  get underWay(): readonly Pick<RunRecord, 'id' | 'controller' | 'key' | 'why' | 'causes'>[] {
    return [...this.#tracker.underWay].map(({ id, controller, key, why, causes }) => {
      return { id, controller, key, why, causes: causes.slice(0, MAX_CAUSES) };
    });
  }

  #note({ id, causes }: TrackedRun, record: ReconcileRecord): void {
    const { controller, key, why, startedAt, durationMs, outcome, error } = record;
    this.#records.push({
      id,
      controller,
      key,
      why,
      causes: causes.slice(0, MAX_CAUSES),
      time: new Date(startedAt).toISOString(),
      durationMs,
      outcome,
      ...(error === undefined ? {} : { message: messageOf(error).slice(0, MAX_MESSAGE) }),
    });
    if (this.#records.length > CAPACITY) this.#records = this.#records.slice(CAPACITY / 10);
  }
}
