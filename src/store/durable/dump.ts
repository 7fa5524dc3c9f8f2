import { isUtf8 } from 'node:buffer';
import { SortedMap } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { Entry, Revision } from '../store.ts';
import { writeCheckpoint } from './checkpoint-writer.ts';
import { listStoreFiles } from './file-names.ts';
import { checkpointMark, writeManifest } from './manifest.ts';
import { openFolder } from './node-files.ts';
import { type OfflineOptions, recoverState, withFolder } from './offline.ts';

const DUMP_VERSION = 1;

/** The first line of a dump. */
interface DumpHead {
  readonly keelsonStoreDump: number;
  readonly revision: number;
}

interface DumpEntry {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  /** When the key is deleted, if ever. */
  readonly expires?: string;
  readonly text?: string;
  readonly base64?: string;
}

/** The last line of a dump; without it the dump is not whole. */
interface DumpEnd {
  readonly end: true;
  readonly objects: number;
}

type DumpLine =
  | { readonly type: 'head'; readonly revision: number }
  | { readonly type: 'entry'; readonly entry: Entry; readonly deadlineMs: number }
  | { readonly type: 'end'; readonly objects: number };

/** Reads one line; `place` says where it is, for messages. */
function parseDumpLine(line: string, place: string): DumpLine {
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

function refuse(place: string, problem: string): StoreError {
  return new StoreError('Damaged', `Cannot restore: ${place} ${problem}`);
}

/**
 * Everything a store has now, as lines of JSON: a head, one line per key in key order, an end.
 *
 * Values that are text are written as text, others as base64. The store is locked only while it is read; the lines are of that moment.
 */
export async function* dumpStore(folder: string, options: OfflineOptions): AsyncGenerator<string, void, undefined> {
  const { mvcc } = await withFolder(folder, (files) => recoverState(files, options), { isOnlyRead: true });
  const { revision } = mvcc;
  const entries = mvcc.entriesAt(revision);
  yield JSON.stringify({ keelsonStoreDump: DUMP_VERSION, revision } satisfies DumpHead);
  for (const entry of entries.values()) yield JSON.stringify(lineOf(entry, mvcc.deadlines.of(entry.key)));
  yield JSON.stringify({ end: true, objects: entries.size } satisfies DumpEnd);
}

function lineOf(entry: Entry, deadlineMs: number): DumpEntry {
  const { key, createRevision, modRevision } = entry;
  const value = Buffer.from(entry.value.buffer, entry.value.byteOffset, entry.value.byteLength);
  const expires = deadlineMs === 0 ? {} : { expires: new Date(deadlineMs).toISOString() };
  const content = isUtf8(value) ? { text: value.toString('utf8') } : { base64: value.toString('base64') };
  return { key, createRevision, modRevision, ...expires, ...content };
}

interface Dump {
  readonly revision: Revision;
  readonly entries: SortedMap<Entry>;
  readonly deadlines: ReadonlyMap<string, number>;
}

/**
 * Makes a store from the lines of a dump, in a folder that has none.
 *
 * Nothing is written unless the whole dump could be read. Revisions are kept; the history before the dump is not there.
 */
export async function restoreStore(
  folder: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<{ readonly revision: Revision; readonly objects: number }> {
  const { revision, entries, deadlines } = await readDump(lines);
  const deadlineOf = (entry: Entry): number => deadlines.get(entry.key) ?? 0;
  await openFolder(folder);
  await withFolder(folder, async (files) => {
    const { segments, checkpoints } = await listStoreFiles(files);
    if (segments.length + checkpoints.length > 0) {
      throw new StoreError('Unavailable', `Cannot restore into "${folder}": there is a store already`);
    }
    await writeManifest(files, checkpointMark(0)); // a checkpoint is never without one
    await writeCheckpoint(files, { revision, floor: revision, entries: entries.values(), deadlineOf });
    await writeManifest(files, checkpointMark(revision));
  });
  return { revision, objects: entries.size };
}

async function readDump(lines: AsyncIterable<string> | Iterable<string>): Promise<Dump> {
  const entries = SortedMap.empty<Entry>().editable();
  const deadlines = new Map<string, number>();
  let revision: Revision | undefined;
  let isWhole = false;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const place = `line ${number}`;
    if (isWhole) throw refuse(place, 'comes after the end');
    const line = parseDumpLine(text, place);
    if ((revision === undefined) !== (line.type === 'head')) throw refuse(place, 'is not the head, or not the first');
    if (line.type === 'head') {
      revision = line.revision;
    } else if (line.type === 'end') {
      if (line.objects !== entries.size)
        throw refuse(place, `counts ${line.objects} objects, there are ${entries.size}`);
      isWhole = true;
    } else {
      const { entry, deadlineMs } = line;
      if (entry.modRevision > (revision ?? 0))
        throw refuse(place, `is of revision ${entry.modRevision}, after that of the dump`);
      if (entries.set(entry.key, entry) !== undefined)
        throw refuse(place, `has key ${JSON.stringify(entry.key)} again`);
      if (deadlineMs !== 0) deadlines.set(entry.key, deadlineMs);
    }
  }
  if (revision === undefined || !isWhole) throw refuse(`the dump of ${number} lines`, 'has no end: it is not whole');
  return { revision, entries: entries.snapshot(), deadlines };
}
