import type { Duplex } from 'node:stream';

/**
 * Copies bytes in both directions with backpressure; resolves when both connections are closed. A connection that breaks
 * also ends the other.
 */
export async function joinConnections(first: Duplex, second: Duplex): Promise<void> {
  first.on('error', () => undefined); // the read loop sees the error
  second.on('error', () => undefined);
  await Promise.all([pass(first, second), pass(second, first)]);
}

/** Copies with events: an iterator would take a promise for every piece. */
function pass(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    from.on('data', (chunk: Buffer) => {
      if (to.writable && !to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    to.once('close', () => from.resume()); // reads to the end what has no receiver any more
    from.once('end', () => {
      to.end();
      resolve();
    });
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
      resolve();
    });
  });
}
