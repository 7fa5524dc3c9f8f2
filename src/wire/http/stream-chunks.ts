import type { Readable } from 'node:stream';

const EVENTS = ['readable', 'end', 'close', 'error'] as const;

/**
 * The chunks of a stream, read with backpressure.
 *
 * Ends when the stream ends; throws when the stream fails or closes before its end. A stream's built-in iterator does the
 * same, but creating one costs as much as the rest of a small response.
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
