import { encodeJson, type JsonCopy } from '../../api/index.ts';
import type { Clock, UidSource } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';
import type { SentAnswer } from '../request/request-record.ts';
import type { UserInfo } from '../request/principal.ts';
import { bodyTooLarge } from './body-reader.ts';
import { type CallSource, LazyCall } from './lazy-call.ts';

/** A request of a client in the same process. */
export interface InProcessRequest {
  readonly method: string;
  /** With its query, if any. */
  readonly path: string;
  /** Names in any case; a list stands for a repeated header. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text is sent as UTF-8. */
  readonly body?: Uint8Array | string;
  /** The JSON value of the body, instead of bytes; the server becomes its owner. */
  readonly value?: JsonCopy;
  /** The user before authentication; default anonymous. */
  readonly user?: UserInfo;
  /** The certificate that the client would present over TLS. */
  readonly certificate?: ClientCertificate;
  /** The certificate that a front proxy would present. */
  readonly proxyCertificate?: ClientCertificate;
  readonly clock: Clock;
  /** For generating an audit ID, if one is needed. */
  readonly uids?: UidSource;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

type InProcessHeaders = NonNullable<InProcessRequest['headers']>;

/** The headers with lower-case names, which most already have. */
function inLowerCase(headers: InProcessHeaders): InProcessHeaders {
  for (const name in headers) {
    if (name !== name.toLowerCase())
      return Object.fromEntries(Object.entries(headers).map(([own, value]) => [own.toLowerCase(), value]));
  }
  return headers;
}

/** A call that its sender can abort, and finishes after reading the answer. */
export interface InProcessCall extends Call {
  /** Set to get the answer unencoded. */
  takesObjects: boolean;
  abort(why: string): void;
  finish(sent: SentAnswer): void;
}

/** Creates a call without a socket: the handler cannot distinguish it from one that came over the network. */
export function inProcessCall(request: InProcessRequest): InProcessCall {
  const call = new LazyCall(new InProcessSource(request), request.clock.now(), request.uids);
  if (request.user !== undefined) call.user = request.user;
  if (request.signal !== undefined) call.follow(request.signal);
  return call;
}

class InProcessSource implements CallSource {
  readonly method: string;
  readonly target: string;
  readonly remoteAddress = '';
  readonly isUpgrade = false;
  readonly certificate: ClientCertificate | undefined;
  readonly proxyCertificate: ClientCertificate | undefined;
  readonly #headers: InProcessHeaders;
  readonly value: JsonCopy | undefined;
  readonly #body: Uint8Array | string | undefined;

  constructor(request: InProcessRequest) {
    this.method = request.method;
    this.target = request.path;
    this.certificate = request.certificate;
    this.proxyCertificate = request.proxyCertificate;
    this.value = request.value;
    this.#body = request.body;
    this.#headers = inLowerCase(request.headers ?? {});
  }

  header(name: string): string | undefined {
    const value = this.#value(name);
    return value === undefined || typeof value === 'string' ? value : value.join(', ');
  }

  headers(name: string): readonly string[] {
    const value = this.#value(name) ?? [];
    return typeof value === 'string' ? [value] : value;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  hasHeader(test: (name: string) => boolean): boolean {
    for (const name in this.#headers) if (test(name)) return true;
    return false;
  }

  #value(name: string): string | readonly string[] | undefined {
    return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
  }

  async body(limit: number): Promise<Uint8Array> {
    const body = this.#body ?? (this.value === undefined ? '' : encodeJson(this.value.value));
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    if (bytes.length > limit) throw bodyTooLarge(limit);
    return bytes;
  }

  async *bodyStream(): AsyncGenerator<Uint8Array> {
    yield await this.body(Infinity);
  }
}
