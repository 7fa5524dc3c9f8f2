import { formatMicroTime, instantOfMillis } from '../../api/client.ts';
import type { Clock } from '../../base/index.ts';
import type { EventWrite } from './event-write.ts';
import type { ActionEvent } from './new-event.ts';
import { RecentMap } from './recent-map.ts';

interface Entry {
  readonly event: ActionEvent;
  /** 1 until the event repeats. */
  count: number;
  lastMs: number;
  lastObservedTime: string;
}

// The limits of Kubernetes' own recorder.
const MEMORY = 4096;
/** A series ends when it has not repeated for this long. Also the period at which series are checked. */
const SERIES_ENDS_MS = 6 * 60_000;
/** At every fifth check, ongoing series are written too, so that they do not expire. */
const LOOKS_PER_REFRESH = 5;

/**
 * Joins events with the same action about the same state of an object into series.
 *
 * The first event is written, and the second as a series of two. Further ones are only counted; the count is written when
 * the series ends, and every half hour. The checks run at fixed times since the start, as client-go's do.
 */
export class EventSeries {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #entries = new RecentMap<Entry>(MEMORY);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonic();
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
      this.#entries.set(key, { event, count: 1, lastMs: nowMs, lastObservedTime: event.eventTime });
      return { event };
    }
    known.count += 1;
    known.lastMs = nowMs;
    known.lastObservedTime = formatMicroTime(instantOfMillis(this.#clock.now()));
    return known.count === 2 ? this.#write(known) : undefined;
  }

  /** The time until the next check. */
  get untilSweepMs(): number {
    return SERIES_ENDS_MS - ((this.#clock.monotonic() - this.#startedMs) % SERIES_ENDS_MS);
  }

  /** The writes for series that have ended or last for long. Forgets those that have ended. */
  sweep(): EventWrite[] {
    const nowMs = this.#clock.monotonic();
    const look = Math.round((nowMs - this.#startedMs) / SERIES_ENDS_MS);
    const isRefresh = look % LOOKS_PER_REFRESH === 0;
    const writes: EventWrite[] = [];
    for (const [key, entry] of this.#entries) {
      const isOver = nowMs - entry.lastMs > SERIES_ENDS_MS;
      if (isOver) this.#entries.delete(key);
      if (entry.count > 1 && (isOver || isRefresh)) writes.push(this.#write(entry));
    }
    return writes;
  }

  #write(entry: Entry): EventWrite {
    const { event, count, lastObservedTime } = entry;
    const series = { count, lastObservedTime };
    return { event: { ...event, series }, change: { series } };
  }
}
