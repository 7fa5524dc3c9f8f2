/** Bodies up to this size are put together at once. Larger ones are worth compressing, and worth waiting for their reader. */
export const AT_ONCE_BYTES = 128 * 1024;

/**
 * A body whose pieces are made when they are taken. One that turns out to be small is made at once: its length is known
 * then, and it goes out in one go.
 */
export function lazyPieces(pieces: Iterator<Uint8Array>): Uint8Array | Iterable<Uint8Array> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= AT_ONCE_BYTES;) {
    const step = pieces.next();
    if (step.done === true) return first.length === 1 ? (first[0] as Uint8Array) : first;
    first.push(step.value);
    bytes += step.value.length;
  }
  return continued(first, pieces);
}

function* continued(first: Uint8Array[], rest: Iterator<Uint8Array>): Generator<Uint8Array> {
  for (let piece = first.shift(); piece !== undefined; piece = first.shift()) yield piece;
  for (let step = rest.next(); step.done !== true; step = rest.next()) yield step.value;
}
