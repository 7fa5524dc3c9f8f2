import { SortedMap } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { Entry, Revision } from '../store.ts';
import { writeCheckpoint } from './checkpoint-writer.ts';
import { parseDumpLine, refuse } from './dump-format.ts';
import { listStoreFiles } from './folder-contents.ts';
import { withFolder } from './offline.ts';
import { checkpointMark, writeManifest } from './manifest.ts';
import { openFolder } from './node-files.ts';

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
