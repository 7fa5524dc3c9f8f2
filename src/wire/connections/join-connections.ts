import type { Duplex } from 'node:stream';
import { drained } from './drained.ts';

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
  try {
    for await (const chunk of from.iterator({ destroyOnReturn: false })) {
      if (!to.writable) return;
      if (!to.write(chunk)) await drained(to);
    }
    to.end();
  } catch {
    to.destroy();
  }
}
