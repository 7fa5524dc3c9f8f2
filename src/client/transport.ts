import type { JsonCopy, Status } from '../api/client.ts';
import type { ResponseHeaders } from '../wire/http/index.ts';

export type { ResponseHeaders };

/** A request as a transport gets it: complete but for credentials, which are the transport's own. */
export interface TransportRequest {
  readonly method: string;
  /** From `/` on, with the query. */
  readonly path: string;
  /** Lower-case names; a list stands for a header sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text is sent as UTF-8. */
  readonly body?: Uint8Array | string;
  /** What JSON in the body would say, in its place; only for transports that take values. */
  readonly value?: JsonCopy;
  /** Gives up the request, and its answer as long as that is being read. */
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ResponseHeaders;
  readonly body: TransportBody;
}

/**
 * What comes back. Over a wire it is bytes; in the server's process objects that are parsed already and frozen, since
 * others hold them too. Leaving the loop over an iterable ends the request.
 */
export type TransportBody =
  | { readonly type: 'bytes'; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly type: 'object'; readonly object: unknown }
  | { readonly type: 'events'; readonly batches: AsyncIterable<readonly TransportEvent[]> };

/** One event of a watch, with the object as it is served. */
export type TransportEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: unknown }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/** What a transport has to offer that hands over values in place of their text. */
export interface ValueTransport {
  /** For requests that nobody gives up. */
  readonly never: AbortSignal;
  /** Makes of a body the value to hand over; undefined where only the text will do. */
  copy(body: unknown): JsonCopy | undefined;
}

/**
 * Carries requests to an API server: over HTTP (`HttpTransport`), or straight into one in the same process.
 *
 * Guarantees: any answer of the server resolves, whatever its status; what keeps an answer from coming rejects with a
 * `TransportError`; when `signal` aborts, with its reason. Disposing ends what is under way.
 */
export interface Transport extends AsyncDisposable {
  /** Straight into a server of the same process: nothing can be lost on the way, and no watch falls silent. */
  readonly isLocal?: boolean | undefined;
  /** Requests may carry values, and are let go of when they are answered. */
  readonly values?: ValueTransport | undefined;
  send(request: TransportRequest): Promise<TransportResponse>;
}

/** The same transport, but that it sends like this. */
export function withSend(transport: Transport, send: Transport['send']): Transport {
  const { isLocal, values } = transport;
  return { isLocal, values, send, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}

/** The first value of a header. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** All values of a header. */
export function headersOf(headers: ResponseHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
