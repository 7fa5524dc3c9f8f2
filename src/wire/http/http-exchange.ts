import { pipeline, Readable, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../base/index.ts';
import { drained } from '../connections/index.ts';
import { TransportError } from './transport-error.ts';

/** A request, including its credentials. */
export interface HttpRequest {
  readonly method: string;
  /** Starts with `/`; includes the query. */
  readonly path: string;
  /** Lower-case names; a list stands for a header sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text is sent as UTF-8. An iterable is read with backpressure, and left when the request ends. */
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** Cancels the request, also while the response body is read. */
  readonly signal: AbortSignal;
}

/** A response whose head has arrived; its body may still be arriving. */
export interface HttpExchange {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ResponseHeaders;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Writes the body and ends the request. An error of the source destroys `output` with that error. */
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

/** Decompresses a body while it arrives. */
export async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), () => undefined); // iterating throws the error
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (cause) {
    if (!String((cause as NodeJS.ErrnoException).code).startsWith('Z_')) throw cause;
    throw new TransportError('protocol', `Cannot unpack the answer: ${messageOf(cause)}`, { cause });
  }
}
