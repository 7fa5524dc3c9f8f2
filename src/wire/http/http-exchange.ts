import { pipeline, Readable, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../base/index.ts';
import { drained } from '../connections/index.ts';
import { TransportError } from './transport-error.ts';

/** A request, complete with credentials. */
export interface HttpRequest {
  readonly method: string;
  /** From `/` on, with the query. */
  readonly path: string;
  /** Lower-case names; a list stands for a header sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text is sent as UTF-8. An iterable is read no faster than the server takes it, and left when the request ends. */
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** Gives up the request, and its answer as long as that is being read. */
  readonly signal: AbortSignal;
}

/** An answer whose head is there, while its body may still be coming. */
export interface HttpExchange {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ResponseHeaders;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Writes the body and the end of a request. A source that fails destroys `output` with its error. */
export function sendBody(output: Writable, body: HttpRequest['body']): void {
  if (body === undefined) output.end();
  else if (typeof body === 'string' || body instanceof Uint8Array) output.end(body);
  else void pump(output, body);
}

async function pump(output: Writable, body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of body) {
      if (output.destroyed) return;
      if (!output.write(chunk)) await drained(output);
    }
    output.end();
  } catch (error) {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Unpacks a body on its way. */
export async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), () => undefined); // iterating throws what went wrong
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (cause) {
    if (!String((cause as NodeJS.ErrnoException).code).startsWith('Z_')) throw cause;
    throw new TransportError('protocol', `Cannot unpack the answer: ${messageOf(cause)}`, { cause });
  }
}
