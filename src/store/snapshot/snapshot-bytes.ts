import { createHash } from 'node:crypto';
import type { Snapshot, SnapshotEntry } from './snapshot.ts';
import { endLine, entryLine, headLine } from './snapshot-line.ts';

/** Lines are yielded in pieces of about this size; other work on the thread gets a turn after each. */
const PIECE_BYTES = 64 * 1024;

/**
 * A snapshot as lines of JSON: a head, one line per key in key order, an end with the checksum of everything before it.
 *
 * A caller that takes the next piece only after sending the last one never has more than one in memory.
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

/** Groups entries into batches, for sources that have them all at hand. */
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
