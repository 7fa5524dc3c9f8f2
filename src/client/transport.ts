import type { JsonCopy, Status } from '../api/client.ts';
import type { ResponseHeaders } from '../wire/http/index.ts';

export type { ResponseHeaders };

/** A request as a transport receives it: complete except for credentials, which the transport adds. */
export interface TransportRequest {
  readonly method: string;
  /** The path and query, beginning with `/`. */
  readonly path: string;
  /** Lower-case names; a list is a header sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text is sent as UTF-8. */
  readonly body?: Uint8Array | string;
  /** Replaces a JSON body by its value; only for transports with `values`. */
  readonly value?: JsonCopy;
  /** Aborts the request, and the response while it is being read. */
  readonly signal: AbortSignal;
}

/** A response of an API server. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: ResponseHeaders;
  readonly body: TransportBody;
}

/**
 * The body of a response: bytes over a network, or, from a server in the same process, parsed objects, frozen because
 * they are shared. Leaving the loop over an iterable ends the request.
 */
export type TransportBody =
  | { readonly type: 'bytes'; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly type: 'object'; readonly object: unknown }
  | { readonly type: 'events'; readonly batches: AsyncIterable<readonly TransportEvent[]> };

/** One watch event, with the object as served. */
export type TransportEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: unknown }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/** Implemented by transports that pass values instead of their JSON text. */
export interface ValueTransport {
  /** A signal that never aborts. */
  readonly never: AbortSignal;
  /** Copies a body into a value to pass; undefined if it must be sent as text. */
  copy(body: unknown): JsonCopy | undefined;
}

/**
 * Carries requests to an API server: over HTTP (`HttpTransport`), or in the same process.
 *
 * Guarantees: any response of the server resolves, whatever its status; without a response `send` rejects with a
 * `TransportError`, or with the reason of `signal` if that aborts. Disposing ends requests in flight.
 */
export interface Transport extends AsyncDisposable {
  /** The server is in the same process: no request can be lost, and no watch falls silent. */
  readonly isLocal?: boolean | undefined;
  /** Requests may carry values; the transport does not retain their signals after the response. */
  readonly values?: ValueTransport | undefined;
  send(request: TransportRequest): Promise<TransportResponse>;
}

/** The same transport with another `send`. */
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
