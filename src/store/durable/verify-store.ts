import type { Revision } from '../store.ts';
import { StoreError } from '../errors.ts';
import { readCheckpoint } from './checkpoint-reader.ts';
import type { DurableFiles } from './durable-files.ts';
import { FileDamage } from './file-damage.ts';
import { MANIFEST_NAME, segmentName } from './file-names.ts';
import { listStoreFiles } from './folder-contents.ts';
import { readMark, type StoreMark } from './manifest.ts';
import { fileSize, type OfflineOptions, recoverState, withFolder } from './offline.ts';
import type { FileReport, StoreProblem } from './store-report.ts';
import { verifySegment } from './verify-segment.ts';

/** What `verifyStore` has found. */
export interface StoreReport {
  readonly files: readonly FileReport[];
  /** Damage: the store will not open. */
  readonly problems: readonly StoreProblem[];
  /** What a crash leaves behind and the next start clears away. */
  readonly notes: readonly StoreProblem[];
  /** What the store has, if it can be opened. */
  readonly state: { readonly revision: Revision; readonly objects: number } | undefined;
}

/** Reads every byte of a store's files and checks it, changing nothing. Damage is reported, not thrown. */
export async function verifyStore(folder: string, options: OfflineOptions): Promise<StoreReport> {
  const verify = async (files: DurableFiles): Promise<StoreReport> => {
    const found: { files: FileReport[]; problems: StoreProblem[]; notes: StoreProblem[] } = {
      files: [],
      problems: [],
      notes: [],
    };
    const contents = await listStoreFiles(files);
    await collect(found, MANIFEST_NAME, async () => {
      const mark = await readMark(files);
      if (mark === undefined) return;
      const bytes = await fileSize(files, MANIFEST_NAME);
      found.files.push({ name: MANIFEST_NAME, kind: 'manifest', bytes, contents: describeMark(mark) });
    });
    for (const { name } of contents.checkpoints) {
      await collect(found, name, async () => {
        found.files.push(await verifyCheckpoint(files, name));
      });
    }
    for (const { name } of contents.segments) {
      const isLast = name === contents.segments.at(-1)?.name;
      await collect(found, name, async () => {
        const { report, problems, notes } = await verifySegment(files, name, { isLast });
        found.files.push(report);
        found.problems.push(...problems);
        found.notes.push(...notes);
      });
    }
    for (const name of contents.leftovers)
      found.notes.push({ file: name, offset: 0, description: 'was never completed' });
    let state: StoreReport['state'];
    if (found.problems.length === 0) {
      await collect(found, folder, async () => {
        const { mvcc } = await recoverState(files, options);
        state = { revision: mvcc.revision, objects: mvcc.size };
      });
    }
    // what looks like a frame that was cut off is damage if the manifest knows more of the log
    const isProblem = (note: StoreProblem): boolean =>
      found.problems.some(({ file, offset }) => file === note.file && offset === note.offset);
    return { ...found, notes: found.notes.filter((note) => !isProblem(note)), state };
  };
  return withFolder(folder, verify, { isOnlyRead: true });
}

function describeMark({ sequence, offset, revision, isClosed }: StoreMark): string {
  const place = sequence === 0 ? 'without a log' : `to offset ${offset} of ${segmentName(sequence)}`;
  return `written ${place}, revision ${revision}, ${isClosed ? 'closed in good order' : 'not closed'}`;
}

async function verifyCheckpoint(files: DurableFiles, name: string): Promise<FileReport> {
  const { entryCount, revision } = await readCheckpoint(files, name, { entry: () => undefined });
  return {
    name,
    kind: 'checkpoint',
    bytes: await fileSize(files, name),
    contents: `${entryCount} entries at revision ${revision}`,
  };
}

/** Turns what the work throws about the files into a problem. */
async function collect(found: { problems: StoreProblem[] }, file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof FileDamage)
      found.problems.push({ file: error.file, offset: error.offset, description: error.problem });
    else if (error instanceof StoreError) found.problems.push({ file, offset: 0, description: error.message });
    else throw error;
  }
}
