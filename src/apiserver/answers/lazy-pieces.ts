import { Buffer } from 'node:buffer';

/** Bodies up to this size are encoded at once. Larger ones are worth compressing, and encoding only as fast as the client reads. */
export const MAX_EAGER_BYTES = 128 * 1024;

/** Up to this size, copying the pieces into one costs less than writing them separately. */
const MAX_COPIED_BYTES = 32 * 1024;

/**
 * A body whose pieces are encoded on demand. A body that turns out to be small is encoded at once: then its length is known, and it is sent
 * with one write.
 */
export function lazyPieces(pieces: Iterator<Uint8Array>): Uint8Array | Iterable<Uint8Array> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= MAX_EAGER_BYTES;) {
    const step = pieces.next();
    if (step.done === true) return bytes > MAX_COPIED_BYTES ? first : joined(first, bytes);
    if (step.value.length === 0) break; // slow to encode: let other requests run
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
