import { createHash } from 'node:crypto';
import type { Snapshot, SnapshotEntry } from './snapshot.ts';
import { endLine, entryLine, headLine } from './snapshot-line.ts';

/** Lines are handed on in pieces of about this size, and whoever shares the thread has a turn after each. */
const PIECE_BYTES = 64 * 1024;

/**
 * A snapshot as lines of JSON: a head, one line a key in the order of keys, an end with the checksum of all before it.
 *
 * Whoever asks for the next piece only when the last one is on its way never has more than one in memory.
 */
export async function* snapshotBytes({ head, batches }: Snapshot): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256');
  let lines = `${headLine(head)}\n`;
  let objects = 0;
  const piece = (): Buffer => {
    const bytes = Buffer.from(lines, 'utf8');
    hash.update(bytes);
    lines = '';
    return bytes;
  };
  for await (const batch of batches) {
    for (const entry of batch) {
      lines += `${entryLine(entry)}\n`;
      objects += 1;
      if (lines.length >= PIECE_BYTES) yield piece();
    }
  }
  yield piece();
  yield Buffer.from(`${endLine(objects, hash.digest('hex'))}\n`);
}

/** Entries gathered into batches, for sources that have them all at hand. */
export async function* inBatches(
  entries: Iterable<SnapshotEntry>,
): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
  let batch: SnapshotEntry[] = [];
  for (const entry of entries) {
    if (batch.push(entry) < BATCH_LENGTH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const BATCH_LENGTH = 100;
