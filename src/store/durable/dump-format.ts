import { StoreError } from '../errors.ts';
import type { Entry } from '../store.ts';

export const DUMP_VERSION = 1;

/** The first line of a dump. */
export interface DumpHead {
  readonly keelsonStoreDump: number;
  readonly revision: number;
}

export interface DumpEntry {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  /** When the key is deleted, if ever. */
  readonly expires?: string;
  readonly text?: string;
  readonly base64?: string;
}

/** The last line of a dump; without it the dump is not whole. */
export interface DumpEnd {
  readonly end: true;
  readonly objects: number;
}

export type DumpLine =
  | { readonly type: 'head'; readonly revision: number }
  | { readonly type: 'entry'; readonly entry: Entry; readonly deadlineMs: number }
  | { readonly type: 'end'; readonly objects: number };

/** Reads one line; `place` says where it is, for messages. */
export function parseDumpLine(line: string, place: string): DumpLine {
  const fields = parseObject(line, place);
  if ('keelsonStoreDump' in fields) {
    const version = fields['keelsonStoreDump'];
    if (version !== DUMP_VERSION)
      throw new StoreError('UnknownFormat', `Cannot restore: ${place} says version ${JSON.stringify(version)}`);
    return { type: 'head', revision: wholeNumber(fields, 'revision', place) };
  }
  if (fields['end'] === true) return { type: 'end', objects: wholeNumber(fields, 'objects', place) };
  const { key, text, base64, expires } = fields;
  if (typeof key !== 'string' || key === '') throw refuse(place, 'has no key');
  if ((typeof text === 'string') === (typeof base64 === 'string'))
    throw refuse(place, 'must have either text or base64');
  const value = typeof text === 'string' ? Buffer.from(text, 'utf8') : Buffer.from(String(base64), 'base64');
  const deadlineMs = expires === undefined ? 0 : Date.parse(String(expires));
  if (Number.isNaN(deadlineMs)) throw refuse(place, `has a time that cannot be read: ${JSON.stringify(expires)}`);
  const createRevision = wholeNumber(fields, 'createRevision', place);
  const modRevision = wholeNumber(fields, 'modRevision', place);
  if (createRevision < 1 || modRevision < createRevision) throw refuse(place, 'has revisions that cannot be');
  return { type: 'entry', entry: { key, value, createRevision, modRevision }, deadlineMs };
}

function parseObject(line: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new StoreError('Damaged', `Cannot restore: ${place} is not JSON`, { cause });
  }
  if (typeof value !== 'object' || value === null) throw refuse(place, 'is not an object');
  return value as Record<string, unknown>;
}

function wholeNumber(fields: Record<string, unknown>, name: string, place: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refuse(place, `must have a whole number as ${name}, got ${JSON.stringify(value)}`);
}

export function refuse(place: string, problem: string): StoreError {
  return new StoreError('Damaged', `Cannot restore: ${place} ${problem}`);
}
