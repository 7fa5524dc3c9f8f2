import type { Readable } from 'node:stream';

const EVENTS = ['readable', 'end', 'close', 'error'] as const;

/**
 * The pieces of a stream, read no faster than they are taken.
 *
 * Ends: when the stream has ended; fails when the stream does, or closes before its end. A stream's own iterator does the same,
 * but making one costs as much as the rest of a small answer.
 */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  let wakeUp = (): void => undefined;
  const changed = (): void => wakeUp();
  for (const event of EVENTS) stream.on(event, changed);
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : (stream.read() as Buffer | null);
      if (chunk !== null) yield chunk;
      else if (stream.errored !== null) throw stream.errored;
      else if (stream.readableEnded) return;
      else if (stream.destroyed) throw new Error('Premature close');
      else await new Promise<void>((resolve) => (wakeUp = resolve));
    }
  } finally {
    for (const event of EVENTS) stream.off(event, changed);
  }
}
