import { Buffer } from 'node:buffer';

/** Bodies up to this size are put together at once. Larger ones are worth compressing, and worth waiting for their reader. */
export const AT_ONCE_BYTES = 128 * 1024;

/** Up to this size it costs less to copy the pieces into one than to write them one by one. */
const WORTH_COPYING_BYTES = 32 * 1024;

/**
 * A body whose pieces are made when they are taken. One that turns out to be small is made at once: its length is known
 * then, and it goes out in one go.
 */
export function lazyPieces(pieces: Iterator<Uint8Array>): Uint8Array | Iterable<Uint8Array> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= AT_ONCE_BYTES;) {
    const step = pieces.next();
    if (step.done === true) return bytes > WORTH_COPYING_BYTES ? first : joined(first, bytes);
    if (step.value.length === 0) break; // it takes long: others shall have their turn
    first.push(step.value);
    bytes += step.value.length;
  }
  return continued(first, pieces);
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, bytes);
}

function* continued(first: Uint8Array[], rest: Iterator<Uint8Array>): Generator<Uint8Array> {
  for (let piece = first.shift(); piece !== undefined; piece = first.shift()) yield piece;
  for (let step = rest.next(); step.done !== true; step = rest.next()) yield step.value;
}
