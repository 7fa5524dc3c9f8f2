import type { Writable } from 'node:stream';

/** Resolves when more may be written, or when the stream is closed. */
export function drained(output: Writable): Promise<void> {
  if (output.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      output.off('drain', settle).off('close', settle);
      resolve();
    };
    output.on('drain', settle).on('close', settle);
  });
}
