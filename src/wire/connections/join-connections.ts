import type { Duplex } from 'node:stream';
import { drained } from './drained.ts';

/** Passes on what comes from each to the other, no faster than it is taken; resolves when both are over. One that breaks off ends the other. */
export async function joinConnections(first: Duplex, second: Duplex): Promise<void> {
  first.on('error', () => undefined); // reading tells
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
