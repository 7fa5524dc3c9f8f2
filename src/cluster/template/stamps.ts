import { Buffer } from 'node:buffer';
import type { UidSource } from '../../base/index.ts';
import type { StoreContents } from '../../store/index.ts';

/** What is stamped on the objects of a copy. */
export interface NewStamps {
  readonly uids: UidSource;
  /** When the contents are said to have been as they are, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A place in the bytes of an object that holds a time, as text of a fixed length: a date, or one with a time of day. */
interface TimeStamp {
  readonly start: number;
  readonly length: number;
  /** How long before the contents were taken. */
  readonly agoMs: number;
}

interface UidStamp {
  readonly start: number;
  /** The same number, the same uid. */
  readonly number: number;
}

interface StampedValue {
  readonly times: readonly TimeStamp[];
  readonly uids: readonly UidStamp[];
}

const UID_FIELD = /"uid":"([\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12})"/g;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The uids and times in the contents of a store, by their places: others take the same place, because they are of the same length.
 *
 * Times are those of the days around the moment when the contents were taken, so that moment is best one that nothing else speaks of.
 */
export class Stamps {
  readonly #contents: StoreContents;
  readonly #takenAtMs: number;
  readonly #values: readonly StampedValue[];
  readonly #uidCount: number;

  constructor(contents: StoreContents, takenAtMs: number) {
    this.#contents = contents;
    this.#takenAtMs = takenAtMs;
    const texts = contents.entries.map(({ value }) => Buffer.from(value).toString('latin1')); // one character a byte
    const uids = new Map<string, number>();
    for (const text of texts)
      for (const [, uid = ''] of text.matchAll(UID_FIELD)) if (!uids.has(uid)) uids.set(uid, uids.size);
    this.#uidCount = uids.size;
    this.#values = texts.map((text) => ({ times: timesIn(text, takenAtMs), uids: uidsIn(text, uids) }));
  }

  /** The contents with other uids, and with times that are as long before the given one. */
  renewed({ uids, atMs }: NewStamps): StoreContents {
    const { entries, deadlinesMs, revision } = this.#contents;
    const fresh = Array.from({ length: this.#uidCount }, () => uids.next());
    const texts = new Map<string, string>();
    const timeText = ({ agoMs, length }: TimeStamp): string => {
      const name = `${agoMs} ${length}`;
      const known = texts.get(name) ?? formatted(atMs - agoMs, length);
      texts.set(name, known);
      return known;
    };
    const renewedEntries = entries.map((entry, index) => {
      const { times, uids: places } = this.#values[index] as StampedValue;
      if (times.length === 0 && places.length === 0) return entry;
      const value = Buffer.from(entry.value);
      for (const time of times) value.write(timeText(time), time.start, 'latin1');
      for (const { start, number } of places) value.write(fresh[number] as string, start, 'latin1');
      return { ...entry, value };
    });
    const laterMs = atMs - this.#takenAtMs;
    const deadlines = Array.from(deadlinesMs, ([key, deadlineMs]) => [key, deadlineMs + laterMs] as const);
    return { revision, entries: renewedEntries, deadlinesMs: new Map(deadlines) };
  }
}

function uidsIn(text: string, numbers: ReadonlyMap<string, number>): readonly UidStamp[] {
  return Array.from(text.matchAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g), ({ 0: uid, index }) => ({
    start: index,
    number: numbers.get(uid) ?? -1,
  })).filter(({ number }) => number >= 0);
}

/** Times of day, to the second or finer, and dates alone, of the day before, that day and the day after. */
function timesIn(text: string, takenAtMs: number): readonly TimeStamp[] {
  const days = [-1, 0, 1].map((day) => formatted(takenAtMs + day * DAY_MS, 10));
  const pattern = new RegExp(`"(?<time>(?:${days.join('|')})(?:T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3,9})?Z)?)"`, 'g');
  return Array.from(text.matchAll(pattern), ({ index, groups }) => {
    const { time = '' } = groups ?? {};
    const agoMs = time.length === 10 ? 0 : takenAtMs - Date.parse(time);
    return { start: index + 1, length: time.length, agoMs };
  });
}

/** The time in as many characters: `2026-01-02`, `2026-01-02T03:04:05Z`, or with a fraction of as many digits. */
function formatted(timeMs: number, length: number): string {
  const text = new Date(timeMs).toISOString();
  if (length <= 10) return text.slice(0, length);
  const seconds = text.slice(0, 19);
  return length === 20 ? `${seconds}Z` : `${seconds}.${text.slice(20, 23).padEnd(length - 21, '0')}Z`;
}
