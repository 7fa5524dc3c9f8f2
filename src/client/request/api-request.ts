import type { Duration } from '../../base/index.ts';
/** What every call takes. */
export interface CallOptions {
  /** Gives up the call. */
  readonly signal?: AbortSignal;
  /** Gives up the call after this long, including retries; for streams, when they have not begun by then. Default: never. */
  readonly timeout?: Duration;
  /** How often a request is sent again when the server is busy; default the client's setting. */
  readonly maxRetries?: number;
  /** What is answered is only read, so that it may be frozen: beside a server of the same process that saves a copy. */
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
  /** Sending it twice does the same as sending it once; said of GET, PUT and DELETE anyway. */
  readonly isIdempotent?: boolean;
}

/** Parameters of a query; those that are undefined are left out. */
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
