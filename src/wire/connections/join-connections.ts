import type { Duplex } from 'node:stream';
import { readBytes } from './read-bytes.ts';
import { TurnWrites } from './turn-writes.ts';

/**
 * Copies bytes in both directions with backpressure; resolves when both connections are closed. A connection that breaks
 * also ends the other.
 */
export async function joinConnections(first: Duplex, second: Duplex): Promise<void> {
  first.on('error', () => undefined); // the read loop sees the error
  second.on('error', () => undefined);
  await Promise.all([pass(first, second), pass(second, first)]);
}

async function pass(from: Duplex, to: Duplex): Promise<void> {
  const writes = new TurnWrites(to);
  try {
    await readBytes(from, (bytes) => writes.write(bytes));
    writes.end();
  } catch {
    to.destroy();
  }
}
