import { hash } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import { RecentMap } from './recent-map.ts';
import type { EventWrite } from './event-write.ts';
import type { CountedEvent } from './new-event.ts';

interface Group {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Seen {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

interface Bucket {
  /** The tokens left after the last event. */
  tokens: number;
  takenAtMs: number;
}

// The limits of Kubernetes' own recorder.
const MEMORY = 4096;
const MAX_SIMILAR = 10;
const SIMILAR_WITHIN_MS = 600_000;
const BURST = 25;
/** One in five minutes, as a 32-bit float. */
const TOKENS_PER_SECOND = Math.fround(1 / 300);
/** The time after which an empty bucket is full again. */
const REFILLED_MS = (BURST / TOKENS_PER_SECOND) * 1000;

/**
 * Reduces the number of events: a repeated event only raises its count; many that differ only in their message become one;
 * and a source with many events about one object is limited to one in five minutes.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #groups = new RecentMap<Group>(MEMORY);
  readonly #seen = new RecentMap<Seen>(MEMORY);
  readonly #buckets = new RecentMap<Bucket>(MEMORY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The write for an event: a new event, a higher count of an existing one, or nothing. */
  correlate(event: CountedEvent): EventWrite | undefined {
    const subject = subjectKeyOf(event);
    const { event: combined, key: text } = this.#combine(event, subject);
    const key = digestOf(text);
    const seen = this.#seen.get(key);
    const observed = seen === undefined ? combined : again(combined, seen);
    const { metadata, firstTimestamp, lastTimestamp, message, count } = observed;
    this.#seen.set(key, { name: metadata.name, firstTimestamp, count });
    if (!this.#mayTell(subject)) return undefined;
    return { event: observed, change: seen === undefined ? undefined : { count, lastTimestamp, message } };
  }

  /** When there are many similar events, combines those with other messages into one that carries the latest message. */
  #combine(event: CountedEvent, subject: string): { readonly event: CountedEvent; readonly key: string } {
    const nowMs = this.#clock.monotonic();
    const groupKey = `${subject}\0${event.reason}`;
    this.#groups.dropOldest(({ lastMs }) => nowMs - lastMs > SIMILAR_WITHIN_MS);
    let group = this.#groups.get(groupKey);
    if (group === undefined) {
      group = { messages: new Set(), lastMs: nowMs };
      this.#groups.set(groupKey, group);
    }
    group.messages.add(event.message);
    group.lastMs = nowMs;
    const key = `${groupKey}\0${event.involvedObject.fieldPath ?? ''}\0${event.message}`;
    if (group.messages.size < MAX_SIMILAR) return { event, key };
    for (const oldest of group.messages) {
      group.messages.delete(oldest);
      break;
    }
    const message = `(combined from similar events): ${event.message}`;
    return { event: { ...event, message, reportingComponent: '', reportingInstance: '' }, key: groupKey };
  }

  /** Takes a token from the source's bucket for the object. */
  #mayTell(key: string): boolean {
    const nowMs = this.#clock.monotonic();
    this.#buckets.dropOldest(({ takenAtMs }) => nowMs - takenAtMs > REFILLED_MS);
    const bucket = this.#buckets.get(key) ?? { tokens: BURST, takenAtMs: nowMs };
    const tokens = Math.min(BURST, bucket.tokens + ((nowMs - bucket.takenAtMs) / 1000) * TOKENS_PER_SECOND);
    const mayTell = tokens >= 1;
    this.#buckets.set(key, mayTell ? { tokens: tokens - 1, takenAtMs: nowMs } : bucket);
    return mayTell;
  }
}

/** Shortens keys: thousands are kept for as long as the program runs, and most contain a long message. */
function digestOf(text: string): string {
  return hash('sha1', text, 'base64');
}

function again(event: CountedEvent, { name, firstTimestamp, count }: Seen): CountedEvent {
  return { ...event, metadata: { ...event.metadata, name }, firstTimestamp, count: count + 1 };
}

/** Identifies source, object and type. */
function subjectKeyOf({ source, involvedObject, type }: CountedEvent): string {
  const { kind, namespace = '', name, uid = '', apiVersion } = involvedObject;
  return `${source.component}\0${source.host ?? ''}\0${kind}\0${namespace}\0${name}\0${uid}\0${apiVersion}\0${type}`;
}
