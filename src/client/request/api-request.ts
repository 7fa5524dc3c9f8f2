import type { Duration } from '../../base/index.ts';
/** The options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Aborts the call after this time, retries included; a stream only if it has not begun by then. Default: never. */
  readonly timeout?: Duration;
  /** Maximum number of retries while the server is busy; default the client's setting. */
  readonly maxRetries?: number;
  /**
   * The caller only reads the response, so it may be frozen: this saves a copy when the server is in the same process.
   */
  readonly isReadOnly?: boolean;
}

/** One request to the API, before headers, retries and encoding. */
export interface ApiRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: QueryValues;
  readonly accept?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** The request may safely be sent twice. GET, PUT and DELETE always count as idempotent. */
  readonly isIdempotent?: boolean;
}

/** Query parameters; undefined ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path with its query. */
export function withQuery(path: string, query: QueryValues = {}): string {
  let whole = path;
  let mark = path.includes('?') ? '&' : '?';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    whole += `${mark}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    mark = '&';
  }
  return whole;
}
