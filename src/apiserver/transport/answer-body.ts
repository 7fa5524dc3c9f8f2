import { leave } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';

type Body = EncodedAnswer['body'];

/** Whether the body is in memory, or can be made synchronously. */
export function isPieces(body: Exclude<Body, Uint8Array>): body is Iterable<Uint8Array> {
  return Symbol.iterator in body;
}

/** The size of the body; undefined when it is known only at its end. */
export function lengthOf(body: Body): number | undefined {
  if (body instanceof Uint8Array) return body.length;
  if (!Array.isArray(body)) return undefined;
  let total = 0;
  for (const piece of body as readonly Uint8Array[]) total += piece.length;
  return total;
}

/** Closes a stream that will not be read, so that it releases its source. */
export function discard(body: Body): void {
  if (body instanceof Uint8Array || isPieces(body)) return;
  leave(body[Symbol.asyncIterator]());
}
