import { leave } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';

type Body = EncodedAnswer['body'];

/** Whether the body is there, or can be made without waiting. */
export function isPieces(body: Exclude<Body, Uint8Array>): body is Iterable<Uint8Array> {
  return Symbol.iterator in body;
}

/** Bytes in the body; undefined when that shows only at its end. */
export function lengthOf(body: Body): number | undefined {
  if (body instanceof Uint8Array) return body.length;
  if (!Array.isArray(body)) return undefined;
  let total = 0;
  for (const piece of body as readonly Uint8Array[]) total += piece.length;
  return total;
}

/** A stream that nobody will read still has to be told, so that it lets go of what feeds it. */
export function discard(body: Body): void {
  if (body instanceof Uint8Array || isPieces(body)) return;
  leave(body[Symbol.asyncIterator]());
}
