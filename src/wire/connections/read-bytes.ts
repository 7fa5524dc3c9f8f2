import type { Duplex } from 'node:stream';
import { LeanSocket } from './lean-socket.ts';

/**
 * Reads a connection to its end, by events: an iterator would take promises for every piece. `take` gets bytes that are valid until it
 * returns; a promise that it returns holds back the next ones.
 *
 * Ends: rejects when the connection breaks, or when `take` throws or rejects. The connection stays open then.
 */
export function readBytes(source: Duplex, take: (bytes: Buffer) => Promise<void> | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    /** What holds back the next bytes. A stream that is paused may end nevertheless. */
    let waiting: Promise<void> | undefined;
    const stop = (): void => {
      source.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose);
      if (source instanceof LeanSocket) source.takeBytes = undefined;
    };
    const fail = (error: unknown): void => {
      stop();
      source.pause();
      reject(error);
    };
    const onData = (bytes: Buffer): boolean => {
      let full: Promise<void> | undefined;
      try {
        full = take(bytes);
      } catch (error) {
        fail(error);
        return false;
      }
      if (full === undefined) return true;
      source.pause();
      waiting = full;
      full.then(() => {
        waiting = undefined;
        source.resume();
      }, fail);
      return false;
    };
    const onEnd = (): void => {
      stop();
      if (waiting === undefined) resolve();
      else waiting.then(resolve, reject);
    };
    const onClose = (): void => {
      if (!source.readableEnded) fail(new Error('Premature close'));
    };
    if (source.destroyed) return fail(source.errored ?? new Error('Premature close'));
    if (source instanceof LeanSocket) source.takeBytes = onData;
    source.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose);
  });
}
