import { Buffer } from 'node:buffer';
import { StoreError, type StoreFailure } from '../errors.ts';
import type { CommitResult, Condition, Entry, Operation, RangeResult } from '../store.ts';
import type { StoreEvent, Transaction, WatchBatch } from '../store.ts';
import type { FrameBody } from './frame-reader.ts';
import type { FrameWriter } from './frame-writer.ts';

/** Kinds of request. Each request has an id, which its answers repeat. */
export const REQUEST = {
  revision: 1,
  get: 2,
  range: 3,
  commit: 4,
  watch: 5,
  stop: 6,
  progress: 7,
  compact: 8,
  health: 9,
};

/** Kinds of answer. Only `part` and `events` may be followed by another answer to the same request. */
export const ANSWER = { done: 32, part: 33, events: 34, failed: 35 };

function writeEntry(frame: FrameWriter, { key, value, createRevision, modRevision }: Entry): void {
  frame.text(key).number(createRevision).number(modRevision).bytes(value);
}

function readEntry(body: FrameBody): Entry {
  const key = body.text();
  const [createRevision, modRevision] = [body.number(), body.number()];
  return { key, value: body.bytes(), createRevision, modRevision };
}

export function writeOptional(frame: FrameWriter, entry: Entry | undefined): void {
  frame.count(entry === undefined ? 0 : 1);
  if (entry !== undefined) writeEntry(frame, entry);
}

export function readOptional(body: FrameBody): Entry | undefined {
  return body.count() === 0 ? undefined : readEntry(body);
}

function readMany<T>(body: FrameBody, read: (body: FrameBody) => T): T[] {
  return Array.from({ length: body.count() }, () => read(body));
}

const DELETE = -1;

export function writeTransaction(frame: FrameWriter, { conditions, operations }: Transaction): void {
  frame.count(conditions.length);
  for (const { key, modRevision } of conditions) frame.text(key).number(modRevision);
  frame.count(operations.length);
  for (const operation of operations) {
    frame.text(operation.key).number(operation.type === 'delete' ? DELETE : (operation.ttlSeconds ?? 0));
    if (operation.type === 'put') frame.bytes(operation.value);
  }
}

export function readTransaction(body: FrameBody): Transaction {
  const conditions = readMany(body, (): Condition => ({ key: body.text(), modRevision: body.number() }));
  const operations = readMany(body, (): Operation => {
    const [key, ttlSeconds] = [body.text(), body.number()];
    if (ttlSeconds === DELETE) return { type: 'delete', key };
    const value = ownCopy(body.bytes());
    return ttlSeconds === 0 ? { type: 'put', key, value } : { type: 'put', key, value, ttlSeconds };
  });
  return { conditions, operations };
}

export function writeCommit(frame: FrameWriter, result: CommitResult): void {
  frame.number(result.revision).count(result.ok ? 1 : 0);
  if (result.ok) return;
  frame.count(result.current.length);
  for (const entry of result.current) writeOptional(frame, entry);
}

export function readCommit(body: FrameBody): CommitResult {
  const revision = body.number();
  return body.count() === 1 ? { ok: true, revision } : { ok: false, revision, current: readMany(body, readOptional) };
}

/** One part of a range; `more`, `count` and `revision` describe the whole range. */
export function writePart(frame: FrameWriter, { entries, more, count, revision }: RangeResult): void {
  frame
    .number(revision)
    .number(count)
    .count(more ? 1 : 0)
    .count(entries.length);
  for (const entry of entries) writeEntry(frame, entry);
}

export function readPart(body: FrameBody): RangeResult {
  const [revision, count, more] = [body.number(), body.number(), body.count() === 1];
  return { entries: readMany(body, readEntry), more, count, revision };
}

/** The previous entries are sent only if the watch asked for them. */
export function writeBatch(frame: FrameWriter, { events, revision }: WatchBatch, hasPrevious: boolean): void {
  frame.number(revision).count(events.length);
  for (const event of events) {
    if (event.type === 'put') {
      frame.count(1);
      writeEntry(frame, event.entry);
    } else frame.count(0).text(event.key).number(event.revision);
    writeOptional(frame, hasPrevious ? event.previous : undefined);
  }
}

export function readBatch(body: FrameBody): WatchBatch {
  const revision = body.number();
  const events = readMany(body, (): StoreEvent => {
    if (body.count() === 1) return { type: 'put', entry: readEntry(body), previous: readOptional(body) };
    return { type: 'delete', key: body.text(), revision: body.number(), previous: readOptional(body) };
  });
  return { events, revision };
}

/** A StoreError is sent with its reason; any other error, a programming mistake, without one. */
export function writeFailure(frame: FrameWriter, error: unknown): void {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const isStores = error instanceof StoreError;
  frame
    .text(isStores ? error.reason : '')
    .text(message)
    .number((isStores ? error.firstRevision : undefined) ?? -1);
}

export function readFailure(body: FrameBody): Error {
  const [reason, message, firstRevision] = [body.text(), body.text(), body.number()];
  if (reason === '') return new TypeError(message);
  return new StoreError(reason as StoreFailure, message, firstRevision < 0 ? {} : { firstRevision });
}

function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
