import type { JsonCopy, Query } from '../../api/index.ts';

/** What arrived, whatever brought it. Only stages may change it, and only its headers. */
export interface IncomingRequest extends RequestHeaders, RequestBody, RequestOrigin {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly uri: string;
  readonly path: string;
  readonly query: Query;
  /** Aborts when the client goes away, the deadline passes or the server stops. */
  readonly signal: AbortSignal;
  /** True when the client asks to switch protocols and may: an answer of type 'upgrade' can be given. */
  readonly isUpgrade: boolean;
  /** True for a client in the same process, which takes answers as objects, not encoded. */
  readonly takesObjects: boolean;
  /** For stages: from here on the header has these values; an empty list removes it. */
  replaceHeader(name: string, values: readonly string[]): void;
  /** For stages: hides all headers whose names match, except those that are replaced. */
  hideHeaders(isHidden: (name: string) => boolean): void;
}

/** The headers of a request, by lower-case name. */
export interface RequestHeaders {
  /** Repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** All values of a header that may be repeated. */
  headers(name: string): readonly string[];
  /** Each name once. */
  headerNames(): readonly string[];
  /** Whether any header's name passes the test; builds no list of names. */
  hasHeader(test: (name: string) => boolean): boolean;
}

/** The body of a request: read whole or streamed, once. */
export interface RequestBody {
  /** The body's JSON value, when a client in the same process sent no bytes; the reader becomes its owner. */
  readonly value?: JsonCopy | undefined;
  /** Set once the body is read and found too long to be worked on in one go; work on it pauses for other requests. */
  isLarge: boolean;
  /** Reads the whole body; throws a Status of 413 when it is longer than `limit` bytes. */
  body(limit: number): Promise<Uint8Array>;
  /**
   * The body as it arrives, of any length: the client waits until earlier chunks are read. Call it once, in place of `body`,
   * and before the answer is sent. Throws a Status of 400 when the client breaks off.
   */
  bodyStream(): AsyncIterable<Uint8Array>;
}

/** Where a request comes from, as far as the connection shows. */
export interface RequestOrigin {
  readonly remoteAddress: string;
  /** The identity in the client's certificate; 'invalid' when the certificate was not issued by a trusted authority. */
  readonly certificate: ClientCertificate | 'invalid' | undefined;
  /** The client's certificate, if an authority for front proxies issued it. */
  readonly proxyCertificate: ClientCertificate | undefined;
}

export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Of the certificate as it was sent, in lower-case hexadecimal digits. */
  readonly sha256?: string;
  /** When it expires, in milliseconds since 1970. */
  readonly endsMs?: number;
}
