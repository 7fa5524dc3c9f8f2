import type { X509Certificate } from 'node:crypto';
import { booleanParameter, type Query, requestVerb } from '../../api/index.ts';
import type { ApiUser } from './api-storage.ts';

/** A request as it reaches the server of an API, over HTTPS or from within the process. */
export interface ApiCall {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  header(name: string): string | undefined;
  /** All values of a header that may come several times. */
  headers(name: string): readonly string[];
  /** The names of all headers, in small letters. */
  readonly headerNames: readonly string[];
  /** Reads the whole body; throws if it is larger than `maxBytes`. */
  body(maxBytes: number): Promise<Uint8Array>;
  /** The client certificate of the connection, not verified yet. */
  readonly certificate?: X509Certificate;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** A string is sent at once; an iterable is streamed. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** Answers requests that the API server of the same process sends. The caller's identity needs no proof. */
export type LocalApiHandler = (call: ApiCall) => Promise<ApiAnswer>;

/** API servers of this process, which call extension API servers without sockets. */
export interface LocalApis {
  /** Makes the handler reachable under this host name until the result is disposed. */
  serve(handler: LocalApiHandler): Disposable & { readonly host: string };
}

/** The parsed target of a request. */
export interface ApiTarget {
  readonly user: ApiUser;
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  /** The parts of the path. */
  readonly segments: readonly string[];
}

/** What a request asks of a resource. The verb is undefined if the method is not allowed there. */
export interface ResourceTarget {
  readonly verb: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
}

/** The resource below `/apis/GROUP/VERSION`; undefined for that path itself. */
export function resourceTarget({ method, segments, query }: ApiTarget): ResourceTarget | undefined {
  let parts = segments.slice(3);
  if (parts.length === 0) return undefined;
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 2) {
    namespace = parts[1] ?? '';
    parts = parts.slice(2);
  }
  const [plural = '', name = '', subresource = '', ...rest] = parts;
  if (rest.length > 0) return undefined;
  const verb = requestVerb(method, { hasName: name !== '', isWatch: booleanParameter(query, 'watch') });
  return { verb, namespace, plural, name, subresource };
}
