import { isUtf8 } from 'node:buffer';
import type { Entry } from '../store.ts';
import type { DumpEnd, DumpEntry, DumpHead } from './dump-format.ts';
import { DUMP_VERSION } from './dump-format.ts';
import { type OfflineOptions, recoverState, withFolder } from './offline.ts';

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
