import type { Condition, Entry, Operation, Revision, StoreEvent } from '../store.ts';
import { valueSize } from './sliced-entry.ts';

/** The changes of one transaction: the unit of history, of the log and of watch delivery. */
export interface RevisionRecord {
  readonly revision: Revision;
  /** When it was written, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly events: readonly StoreEvent[];
  /** When each event's key expires, in milliseconds since the Unix epoch, 0 for never; absent: none expires. */
  readonly deadlinesMs: readonly number[] | undefined;
  /** Approximate cost of keeping it, in bytes. */
  readonly weight: number;
}

/** Looks up a key in the state that the next transaction sees. */
export type LookUp = (key: string) => Entry | undefined;

export interface RecordOptions {
  readonly revision: Revision;
  readonly timeMs: number;
  readonly lookUp: LookUp;
}

/** Objects, arrays and strings around a value, roughly as V8 lays them out. */
const RECORD_WEIGHT = 160;
const EVENT_WEIGHT = 240;

export function conditionsHold(conditions: readonly Condition[], lookUp: LookUp): boolean {
  return conditions.every(({ key, modRevision }) => (lookUp(key)?.modRevision ?? 0) === modRevision);
}

/** The record of `operations` if written next; `undefined` when they change nothing. Assumes no key occurs twice. */
export function recordOf(operations: readonly Operation[], options: RecordOptions): RevisionRecord | undefined {
  const { revision, timeMs, lookUp } = options;
  let events: StoreEvent[] | undefined;
  let deadlinesMs: number[] | undefined;
  for (const operation of operations) {
    const previous = lookUp(operation.key);
    if (operation.type === 'delete') {
      if (previous !== undefined) events = withEvent(events, deletion(previous, revision));
      continue;
    }
    if (operation.ttlSeconds !== undefined) {
      const deadlineMs = Math.ceil(timeMs + operation.ttlSeconds * 1000);
      if (events === undefined) deadlinesMs = [deadlineMs];
      else (deadlinesMs ??= [])[events.length] = deadlineMs;
    }
    events = withEvent(events, write(operation, previous, revision));
  }
  if (events === undefined) return undefined;
  const weight = weightOf(events);
  if (events.length === 1) return { revision, timeMs, events, deadlinesMs, weight };
  if (deadlinesMs !== undefined) deadlinesMs = Array.from(events, (_event, index) => deadlinesMs?.[index] ?? 0);
  // an array that has grown has space for 17 events, and records are kept
  return { revision, timeMs, events: events.slice(), deadlinesMs, weight };
}

/** Adds an event. Most records have one, for which an array that starts empty would take 130 bytes too many. */
export function withEvent(events: StoreEvent[] | undefined, event: StoreEvent): StoreEvent[] {
  if (events === undefined) return [event];
  events.push(event);
  return events;
}

function write(
  put: { readonly key: string; readonly value: Uint8Array },
  previous: Entry | undefined,
  revision: Revision,
): StoreEvent {
  const createRevision = previous === undefined ? revision : previous.createRevision;
  return { type: 'put', entry: { key: put.key, value: put.value, createRevision, modRevision: revision }, previous };
}

export function deletion(previous: Entry, revision: Revision): StoreEvent {
  return { type: 'delete', key: previous.key, revision, previous };
}

export function keyOf(event: StoreEvent): string {
  return event.type === 'put' ? event.entry.key : event.key;
}

/** Each version of a key is counted once, in the record that replaced it: current entries are kept anyway. */
export function weightOf(events: readonly StoreEvent[]): number {
  let weight = RECORD_WEIGHT;
  for (const event of events) {
    weight += EVENT_WEIGHT + keyOf(event).length + (event.previous === undefined ? 0 : valueSize(event.previous));
  }
  return weight;
}
