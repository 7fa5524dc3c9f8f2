import type { Mvcc } from '../mvcc/mvcc.ts';
import { keyOf, weightOf } from '../mvcc/revision-record.ts';
import type { Entry, Revision, StoreEvent, WatchBatch } from '../store.ts';
import type { OwnValues } from './own-values.ts';

/** A jump over more revisions without changes here is not worth filling: the mirror is rebuilt instead. */
const MAX_GAP = 200_000;

const NO_EVENTS: readonly StoreEvent[] = [];
const NO_EVENTS_WEIGHT = weightOf(NO_EVENTS);

/** Thrown when the mirror cannot continue from here. */
export class MirrorGap extends Error {
  override readonly name: string = 'MirrorGap';
}

export interface ApplyOptions {
  readonly ownValues: OwnValues;
  readonly timeMs: number;
}

/** Brings the mirror to the batch's revision. Revisions that changed nothing in it become empty ones. */
export function applyBatch(mvcc: Mvcc, batch: WatchBatch, options: ApplyOptions): void {
  for (let start = 0; start < batch.events.length;) {
    const revision = revisionOf(batch.events[start] as StoreEvent);
    let end = start + 1;
    while (end < batch.events.length && revisionOf(batch.events[end] as StoreEvent) === revision) end += 1;
    fillUpTo(mvcc, revision - 1, options.timeMs);
    const events = batch.events.slice(start, end).map((event) => asMirrored(event, mvcc, options.ownValues));
    mvcc.append({ revision, timeMs: options.timeMs, events, deadlinesMs: undefined, weight: weightOf(events) });
    start = end;
  }
  fillUpTo(mvcc, batch.revision, options.timeMs);
}

/**
 * An entry as the mirror keeps it: with the writer's own array as its value if there is one, otherwise with a copy,
 * because a slice of a large answer would keep the whole answer in memory.
 */
export function kept(entry: Entry, ownValues: OwnValues): Entry {
  const { value } = entry;
  const own = ownValues.find(entry.key, value);
  if (own !== undefined) return withValue(entry, own);
  const isAlone = value.buffer.byteLength <= value.byteLength + 512;
  return isAlone ? entry : withValue(entry, ownCopy(value));
}

/** The event with the mirror's own previous entry. */
function asMirrored(event: StoreEvent, mvcc: Mvcc, ownValues: OwnValues): StoreEvent {
  const previous = mvcc.get(keyOf(event));
  if (event.type === 'delete') return { ...event, previous };
  return { type: 'put', entry: kept(event.entry, ownValues), previous };
}

function fillUpTo(mvcc: Mvcc, revision: Revision, timeMs: number): void {
  if (revision - mvcc.revision > MAX_GAP) {
    throw new MirrorGap(`Cannot continue from revision ${mvcc.revision} to ${revision}: too many are missing`);
  }
  while (mvcc.revision < revision) {
    const next = mvcc.revision + 1;
    mvcc.append({ revision: next, timeMs, events: NO_EVENTS, deadlinesMs: undefined, weight: NO_EVENTS_WEIGHT });
  }
}

function revisionOf(event: StoreEvent): Revision {
  return event.type === 'put' ? event.entry.modRevision : event.revision;
}

function withValue(entry: Entry, value: Uint8Array): Entry {
  const { key, createRevision, modRevision } = entry;
  return { key, value, createRevision, modRevision };
}

function ownCopy(value: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(value.byteLength);
  copy.set(value);
  return copy;
}
