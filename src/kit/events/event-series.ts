import { formatMicroTime, instantOfMillis } from '../../api/client.ts';
import type { Clock } from '../../base/index.ts';
import type { EventWrite } from './event-write.ts';
import type { ActionEvent } from './new-event.ts';
import { RecentMap } from './recent-map.ts';

interface Entry {
  readonly event: ActionEvent;
  /** 1 until it happens again. */
  count: number;
  lastMs: number;
  lastObservedTime: string;
  writtenMs: number;
}

// The figures of Kubernetes' own recorder.
const MEMORY = 4096;
/** A series is over when it has not gone on for so long. */
export const SERIES_ENDS_MS = 6 * 60_000;
/** A series that goes on is written now and then, so that it does not expire. */
const REFRESH_MS = 30 * 60_000;

/**
 * Joins events of the same action about the same state of an object into series.
 *
 * The first is written, and the second as a series of two. After that it is only counted; the count is written when the
 * series is over, and every half hour.
 */
export class EventSeries {
  readonly #clock: Clock;
  readonly #entries = new RecentMap<Entry>(MEMORY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  correlate(event: ActionEvent): EventWrite | undefined {
    const { type, action, reason, reportingComponent, reportingInstance, involvedObject } = event;
    const key = JSON.stringify([type, action, reason, reportingComponent, reportingInstance, involvedObject]);
    const known = this.#entries.get(key);
    const nowMs = this.#clock.monotonic();
    if (known === undefined) {
      this.#entries.set(key, { event, count: 1, lastMs: nowMs, lastObservedTime: event.eventTime, writtenMs: nowMs });
      return { event };
    }
    known.count += 1;
    known.lastMs = nowMs;
    known.lastObservedTime = formatMicroTime(instantOfMillis(this.#clock.now()));
    return known.count === 2 ? this.#write(known) : undefined;
  }

  /** What is to be written of series that are over or go on for long. Forgets what is over. */
  sweep(): EventWrite[] {
    const nowMs = this.#clock.monotonic();
    const writes: EventWrite[] = [];
    for (const [key, entry] of this.#entries) {
      const isOver = nowMs - entry.lastMs >= SERIES_ENDS_MS;
      if (isOver) this.#entries.delete(key);
      if (entry.count > 1 && (isOver || nowMs - entry.writtenMs >= REFRESH_MS)) writes.push(this.#write(entry));
    }
    return writes;
  }

  #write(entry: Entry): EventWrite {
    const { event, count, lastObservedTime } = entry;
    const series = { count, lastObservedTime };
    entry.writtenMs = this.#clock.monotonic();
    return { event: { ...event, series }, change: { series } };
  }
}
