import { readSnapshot } from '../snapshot/read-snapshot.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { snapshotBytes } from '../snapshot/snapshot-bytes.ts';

/** A snapshot as the lines of a file. */
export async function linesOf(snapshot: Snapshot): Promise<string[]> {
  const pieces: Buffer[] = [];
  for await (const piece of snapshotBytes(snapshot)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8').trimEnd().split('\n');
}

/** A snapshot read from bytes, in pieces of any size. */
export function snapshotIn(content: Uint8Array, pieceBytes = 1000): Promise<Snapshot> {
  return readSnapshot(pieces(content, pieceBytes));
}

async function* pieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** Reads all of it; rejects when it is incomplete. */
export async function drain({ batches }: Snapshot): Promise<number> {
  let objects = 0;
  for await (const batch of batches) objects += batch.length;
  return objects;
}
