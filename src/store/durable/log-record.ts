import type { RevisionRecord } from '../mvcc/revision-record.ts';
import type { Slice } from '../mvcc/sliced-entry.ts';
import type { Revision } from '../store.ts';
import { FRAME_HEAD } from './frame.ts';
import { readU64, writeU64 } from './u64.ts';

const TRANSACTION = 1;
const COMPACTION = 2;
const CLOSE = 3;

const PUT = 1;
const PUT_UNTIL = 2;
const DELETE = 3;

/** One key's change as the log records it. Without a value the key is deleted; a deadline of 0 means none. */
export interface LoggedChange {
  readonly key: string;
  readonly value: Slice | undefined;
  readonly deadlineMs: number;
  /** Offset in the payload at which it ends. */
  readonly end: number;
}

export type LogRecord =
  /** Takes the next revision. */
  | { readonly type: 'transaction'; readonly changes: readonly LoggedChange[] }
  | { readonly type: 'compaction'; readonly revision: Revision }
  /** The store was closed in good order, so the frame before this one is complete. */
  | { readonly type: 'close' };

const FIRST_CAPACITY = 64 * 1024;

/** Collects the records of one frame in a buffer that grows as needed and is reused. */
export class FrameBuilder {
  #buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = FRAME_HEAD;
  #recordCount = 0;
  #transactionCount = 0;

  get recordCount(): number {
    return this.#recordCount;
  }

  get transactionCount(): number {
    return this.#transactionCount;
  }

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#buffer.length;
  }

  /** The frame so far; its head is still to be filled in. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = FRAME_HEAD;
    this.#recordCount = 0;
    this.#transactionCount = 0;
  }

  addTransaction(record: RevisionRecord): void {
    const { events, deadlinesMs } = record;
    this.#begin(TRANSACTION, 4);
    this.#transactionCount += 1;
    this.#length = this.#buffer.writeUInt32LE(events.length, this.#length);
    for (let index = 0; index < events.length; index++) {
      const event = events[index] as (typeof events)[number];
      if (event.type === 'delete') this.#addDelete(event.key);
      else this.#addPut(event.entry.key, event.entry.value, deadlinesMs?.[index] ?? 0);
    }
  }

  addCompaction(revision: Revision): void {
    this.#begin(COMPACTION, 8);
    this.#length = writeU64(this.#buffer, revision, this.#length);
  }

  addClose(): void {
    this.#begin(CLOSE, 0);
  }

  #begin(kind: number, more: number): void {
    this.#makeRoom(1 + more);
    this.#recordCount += 1;
    this.#length = this.#buffer.writeUInt8(kind, this.#length);
  }

  #addPut(key: string, value: Uint8Array, deadlineMs: number): void {
    const keyLength = Buffer.byteLength(key);
    this.#makeRoom(17 + keyLength + value.byteLength);
    const buffer = this.#buffer;
    let at = buffer.writeUInt8(deadlineMs === 0 ? PUT : PUT_UNTIL, this.#length);
    at = buffer.writeUInt32LE(keyLength, at);
    at = buffer.writeUInt32LE(value.byteLength, at);
    if (deadlineMs !== 0) at = writeU64(buffer, deadlineMs, at);
    at += buffer.write(key, at, 'utf8');
    buffer.set(value, at);
    this.#length = at + value.byteLength;
  }

  #addDelete(key: string): void {
    const keyLength = Buffer.byteLength(key);
    this.#makeRoom(5 + keyLength);
    let at = this.#buffer.writeUInt8(DELETE, this.#length);
    at = this.#buffer.writeUInt32LE(keyLength, at);
    this.#length = at + this.#buffer.write(key, at, 'utf8');
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    let capacity = this.#buffer.length * 2;
    while (capacity < needed) capacity *= 2;
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/**
 * Reads the records of a frame's payload.
 *
 * Throws a RangeError when the payload is not what `FrameBuilder` writes.
 */
export function decodeRecords(payload: Buffer, count: number): LogRecord[] {
  const records: LogRecord[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    const kind = payload.readUInt8(at);
    at += 1;
    if (kind === TRANSACTION) {
      const changes = readChanges(payload, at);
      at = changes.at(-1)?.end ?? at + 4;
      records.push({ type: 'transaction', changes });
    } else if (kind === COMPACTION) {
      records.push({ type: 'compaction', revision: readU64(payload, at) });
      at += 8;
    } else if (kind === CLOSE) {
      records.push({ type: 'close' });
    } else {
      throw new RangeError(`there is no record of kind ${kind}`);
    }
  }
  if (at !== payload.length) throw new RangeError(`${payload.length - at} bytes are left after the last record`);
  return records;
}

/** Most transactions have one change; an array that starts empty would be allocated many times too long. */
function readChanges(payload: Buffer, start: number): LoggedChange[] {
  const count = payload.readUInt32LE(start);
  if (count === 0) return [];
  let change = readChange(payload, start + 4);
  const changes = [change];
  while (changes.length < count) {
    change = readChange(payload, change.end);
    changes.push(change);
  }
  return changes;
}

function readChange(payload: Buffer, start: number): LoggedChange {
  const kind = payload.readUInt8(start);
  const keyLength = payload.readUInt32LE(start + 1);
  if (kind === DELETE) {
    const end = start + 5 + keyLength;
    return { key: payload.toString('utf8', start + 5, end), value: undefined, deadlineMs: 0, end };
  }
  if (kind !== PUT && kind !== PUT_UNTIL) throw new RangeError(`there is no change of kind ${kind}`);
  const deadlineMs = kind === PUT ? 0 : readU64(payload, start + 9);
  const keyAt = start + (kind === PUT ? 9 : 17);
  const valueAt = keyAt + keyLength;
  const end = valueAt + payload.readUInt32LE(start + 5);
  const value = { of: payload, start: valueAt, end };
  return { key: payload.toString('utf8', keyAt, valueAt), value, deadlineMs, end };
}
