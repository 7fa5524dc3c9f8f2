import { Buffer } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { EncodedAnswer } from '../answers/answer.ts';
import { MAX_EAGER_BYTES } from '../answers/lazy-pieces.ts';
import { isPieces, lengthOf } from './answer-body.ts';
import type { Exchange } from './exchange.ts';

/** Bodies up to this size are not compressed. */
export const GZIP_ABOVE_BYTES = MAX_EAGER_BYTES;

/** The memory for compressing one body: zlib's window and tables, and a batch on either side. */
export const GZIP_HELD_BYTES = 448 * 1024;

/** The fastest level; higher ones save little more on JSON (kubernetes/kubernetes#112296). */
const LEVEL = 1;

/** Passed to the compressor's thread at once: large enough to be worth the switch, small enough to bound memory. */
const BATCH_BYTES = 128 * 1024;

/** Compresses a large answer if the client accepts gzip. Streams are never compressed. */
export function gzipped(answer: EncodedAnswer, exchange: Exchange): EncodedAnswer {
  const { body, headers } = answer;
  if (!(body instanceof Uint8Array) && !isPieces(body)) return answer;
  const length = lengthOf(body) ?? Infinity; // a body in pieces is large
  if (length <= GZIP_ABOVE_BYTES || headers['content-encoding'] !== undefined || !takesGzip(exchange)) return answer;
  const pieces = body instanceof Uint8Array ? [body] : body;
  return { code: answer.code, headers: { ...headers, ...gzipHeaders(headers['vary']) }, body: gzip(pieces) };
}

/** Exactly `gzip` in the list, as upstream checks it. */
function takesGzip(exchange: Exchange): boolean {
  const accepted = exchange.header('accept-encoding');
  return accepted !== undefined && accepted.split(',').some((token) => token.trim() === 'gzip');
}

function gzipHeaders(vary: string | readonly string[] = []): EncodedAnswer['headers'] {
  return { 'content-encoding': 'gzip', vary: ['Accept-Encoding', ...(typeof vary === 'string' ? [vary] : vary)] };
}

/** Compresses the pieces as one gzip stream, on another thread, only as fast as it is read. */
function gzip(pieces: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const compressor = createGzip({ level: LEVEL, chunkSize: BATCH_BYTES / 4 });
  pipeline(Readable.from(batches(pieces), { highWaterMark: 1 }), compressor, ignore);
  return compressor;
}

function* batches(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += BATCH_BYTES) {
      const part = piece.length <= BATCH_BYTES ? piece : piece.subarray(start, start + BATCH_BYTES);
      waiting.push(part);
      size += part.length;
      if (size < BATCH_BYTES) continue;
      yield Buffer.concat(waiting, size);
      waiting = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}

function ignore(): void {
  // a failure reaches the reader of the compressor
}
