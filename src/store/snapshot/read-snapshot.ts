import { createHash, type Hash } from 'node:crypto';
import { compareUtf8 } from '../../base/index.ts';
import type { Snapshot, SnapshotEntry, SnapshotHead } from './snapshot.ts';
import { corruptSnapshot, parseSnapshotLine, type SnapshotLine } from './snapshot-line.ts';

/**
 * Longer than the line of any value that a store accepts; keeps a file that is not a snapshot from being read into
 * memory.
 */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;
const BATCH_LENGTH = 100;

/**
 * Reads a snapshot piece by piece; the head is read at once. `close` is called when it is disposed of.
 *
 * Damage, missing or extra lines reject with `Damaged`, at the latest after the last batch: only a caller that has read
 * all batches knows that the snapshot is complete.
 */
export async function readSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  close: () => Promise<void> = async () => undefined,
): Promise<Snapshot> {
  const lines = new SnapshotLines(pieces);
  const first = (await lines.next()) ?? lines.notWhole();
  if (first.type !== 'head') throw corruptSnapshot('line 1', 'is not the head');
  const batches = entriesOf(lines, first.head, { needsChecksum: first.version > 1 });
  return { head: first.head, batches, [Symbol.asyncDispose]: close };
}

async function* entriesOf(
  lines: SnapshotLines,
  head: SnapshotHead,
  options: { readonly needsChecksum: boolean },
): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
  let objects = 0;
  let previous = '';
  let batch: SnapshotEntry[] = [];
  for (;;) {
    const line = (await lines.next()) ?? lines.notWhole();
    const { place } = lines;
    switch (line.type) {
      case 'head':
        throw corruptSnapshot(place, 'is a second head');
      case 'end':
        if (line.objects !== objects)
          throw corruptSnapshot(place, `counts ${line.objects} objects, there are ${objects}`);
        if (line.sha256 !== lines.sha256 && (options.needsChecksum || line.sha256 !== undefined))
          throw corruptSnapshot('the checksum', 'is not that of its lines: at least one of them was changed');
        if ((await lines.next()) !== undefined) throw corruptSnapshot(lines.place, 'comes after the end');
        yield batch;
        return;
      case 'entry': {
        const { key, modRevision } = line.entry;
        if (modRevision > head.revision)
          throw corruptSnapshot(place, `is of revision ${modRevision}, after that of the snapshot`);
        if (compareUtf8(key, previous) <= 0)
          throw corruptSnapshot(place, `has key ${JSON.stringify(key)} again, or out of order`);
        previous = key;
        objects += 1;
        if (batch.push(line) < BATCH_LENGTH) continue;
        yield batch;
        batch = [];
      }
    }
  }
}

/** The lines of a snapshot, and the checksum of everything before the last line read. */
class SnapshotLines {
  readonly #lines: AsyncGenerator<Buffer, void, undefined>;
  readonly #hash: Hash = createHash('sha256');
  #number = 0;
  #sha256 = '';

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(pieces);
  }

  get place(): string {
    return `line ${this.#number}`;
  }

  get sha256(): string {
    return this.#sha256;
  }

  /** `undefined` when there are no more. Empty lines are skipped. */
  async next(): Promise<SnapshotLine | undefined> {
    for (;;) {
      const { value: line } = await this.#lines.next();
      if (line === undefined) return undefined;
      this.#number += 1;
      const text = line.toString('utf8');
      if (text.trim() === '') continue;
      const parsed = parseSnapshotLine(text, this.place);
      if (parsed.type === 'end') this.#sha256 = this.#hash.digest('hex');
      else if (this.#sha256 === '') this.#hash.update(line).update('\n');
      return parsed;
    }
  }

  notWhole(): never {
    throw corruptSnapshot(`the file of ${this.#number} lines`, 'has no end: it is not whole');
  }
}

/** The lines without their line ends. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      yield begun.length === 0 ? bytes.subarray(from, at) : Buffer.concat([...begun, bytes.subarray(from, at)]);
      begun = [];
      begunBytes = 0;
      from = at + 1;
    }
    if (from === bytes.length) continue;
    begun.push(bytes.subarray(from));
    begunBytes += bytes.length - from;
    if (begunBytes > MAX_LINE_BYTES) throw corruptSnapshot('it', `has a line of more than ${MAX_LINE_BYTES} bytes`);
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}
