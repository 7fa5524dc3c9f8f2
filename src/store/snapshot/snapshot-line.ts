import { isUtf8 } from 'node:buffer';
import { StoreError } from '../errors.ts';
import type { SnapshotEntry, SnapshotHead } from './snapshot.ts';

/** The version this program writes. Version 1 had neither a checksum nor its source. */
export const SNAPSHOT_VERSION = 2;

/** The first line. */
interface HeadFields {
  readonly keelsonStoreDump: number;
  readonly revision: number;
  readonly taken: string;
  readonly stopped: boolean;
  readonly form: string;
  readonly etcdPrefix?: string;
}

interface EntryFields {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  /** When the key expires, if it does. */
  readonly expires?: string;
  readonly text?: string;
  readonly base64?: string;
}

/** The last line; without it the snapshot is incomplete. */
interface EndFields {
  readonly end: true;
  readonly objects: number;
  /** Checksum of all bytes before this line; absent in version 1. */
  readonly sha256?: string;
}

export type SnapshotLine =
  | { readonly type: 'head'; readonly version: number; readonly head: SnapshotHead }
  | ({ readonly type: 'entry' } & SnapshotEntry)
  | { readonly type: 'end'; readonly objects: number; readonly sha256: string | undefined };

export function headLine({ revision, takenMs, isOfClosedStore, form, etcdPrefix }: SnapshotHead): string {
  const fields: HeadFields = {
    keelsonStoreDump: SNAPSHOT_VERSION,
    revision,
    taken: new Date(takenMs).toISOString(),
    stopped: isOfClosedStore,
    form,
    ...(etcdPrefix === undefined ? {} : { etcdPrefix }),
  };
  return JSON.stringify(fields);
}

/** Values that are valid text are written as text, others as base64. */
export function entryLine({ entry, deadlineMs }: SnapshotEntry): string {
  const { key, createRevision, modRevision } = entry;
  const value = Buffer.from(entry.value.buffer, entry.value.byteOffset, entry.value.byteLength);
  const expires = deadlineMs === 0 ? {} : { expires: new Date(deadlineMs).toISOString() };
  const content = isUtf8(value) ? { text: value.toString('utf8') } : { base64: value.toString('base64') };
  return JSON.stringify({ key, createRevision, modRevision, ...expires, ...content } satisfies EntryFields);
}

export function endLine(objects: number, sha256: string): string {
  return JSON.stringify({ end: true, objects, sha256 } satisfies EndFields);
}

/** What a process sends instead of a snapshot when it refuses the request. */
export function refusalLine(why: string): string {
  return JSON.stringify({ refused: why });
}

/** Parses one line; `place` is its position, for messages. */
export function parseSnapshotLine(line: string, place: string): SnapshotLine {
  const fields = parseObject(line, place);
  if ('keelsonStoreDump' in fields) return headOf(fields, place);
  if (typeof fields['refused'] === 'string') throw new StoreError('Unavailable', fields['refused']);
  if (fields['end'] !== true) return { type: 'entry', ...entryOf(fields, place) };
  const { sha256 } = fields;
  if (sha256 !== undefined && typeof sha256 !== 'string')
    throw corruptSnapshot(place, 'has a checksum that is not text');
  return { type: 'end', objects: wholeNumber(fields, 'objects', place), sha256 };
}

/** The error for a corrupt snapshot. */
export function corruptSnapshot(place: string, problem: string): StoreError {
  return new StoreError('Damaged', `Cannot read the snapshot: ${place} ${problem}`);
}

function headOf(fields: Record<string, unknown>, place: string): SnapshotLine {
  const version = fields['keelsonStoreDump'];
  if (version !== 1 && version !== SNAPSHOT_VERSION) {
    const known = `the newest that this version of Keelson knows is ${SNAPSHOT_VERSION}`;
    throw new StoreError(
      'UnknownFormat',
      `Cannot read the snapshot: ${place} says version ${JSON.stringify(version)}, ${known}`,
    );
  }
  const revision = wholeNumber(fields, 'revision', place);
  if (version === 1)
    return { type: 'head', version, head: { revision, isOfClosedStore: true, form: 'embedded', takenMs: 0 } };
  const { form, stopped, etcdPrefix, taken } = fields;
  if (form !== 'embedded' && form !== 'etcd') throw corruptSnapshot(place, `has form ${JSON.stringify(form)}`);
  const prefix = typeof etcdPrefix === 'string' ? { etcdPrefix } : {};
  const head: SnapshotHead = {
    revision,
    isOfClosedStore: stopped === true,
    form,
    takenMs: timeOf(taken, place),
    ...prefix,
  };
  return { type: 'head', version, head };
}

function entryOf(fields: Record<string, unknown>, place: string): SnapshotEntry {
  const { key, text, base64, expires } = fields;
  if (typeof key !== 'string' || key === '') throw corruptSnapshot(place, 'has no key');
  if ((typeof text === 'string') === (typeof base64 === 'string'))
    throw corruptSnapshot(place, 'must have either text or base64');
  const value = typeof text === 'string' ? Buffer.from(text, 'utf8') : Buffer.from(String(base64), 'base64');
  const deadlineMs = expires === undefined ? 0 : timeOf(expires, place);
  const createRevision = wholeNumber(fields, 'createRevision', place);
  const modRevision = wholeNumber(fields, 'modRevision', place);
  if (createRevision < 1 || modRevision < createRevision) throw corruptSnapshot(place, 'has revisions that cannot be');
  return { entry: { key, value, createRevision, modRevision }, deadlineMs };
}

function timeOf(value: unknown, place: string): number {
  const timeMs = Date.parse(String(value));
  if (Number.isNaN(timeMs)) throw corruptSnapshot(place, `has a time that cannot be read: ${JSON.stringify(value)}`);
  return timeMs;
}

function parseObject(line: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw corruptSnapshot(place, 'is not JSON'); // the parser's own words quote what may be no text at all
  }
  if (typeof value !== 'object' || value === null) throw corruptSnapshot(place, 'is not an object');
  return value as Record<string, unknown>;
}

function wholeNumber(fields: Record<string, unknown>, name: string, place: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw corruptSnapshot(place, `must have a whole number as ${name}, got ${JSON.stringify(value)}`);
}
