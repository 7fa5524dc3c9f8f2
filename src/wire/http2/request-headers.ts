import type { FieldSink } from './hpack-decoder.ts';
import { CODE, ConnectionError } from './protocol.ts';

export interface HeaderLimits {
  /** Bytes of all names and values together. */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
}

/** Headers above the limits are still decoded, which keeps the compression table correct; at most this many. */
const MAX_IGNORED = 16_384;

/** Connection-specific headers, which HTTP/2 does not allow (RFC 9113, 8.2.2). */
const FORBIDDEN = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/** Of these headers the first value is used; the values of others are joined. As in Node's servers. */
const SINGLE = new Set(
  `access-control-allow-credentials access-control-max-age access-control-request-method age authorization
  content-encoding content-language content-length content-location content-md5 content-range content-type date dnt etag
  expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location
  max-forwards proxy-authorization range referer retry-after tk upgrade-insecure-requests user-agent
  x-content-type-options`.split(/\s+/),
);

const COLON = 0x3a;
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

/** The characters of a token (RFC 9110, 5.6.2), without upper case. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Collects the decoded headers of one request, or its trailers. */
export class RequestHeaders implements FieldSink {
  method: string | undefined;
  scheme: string | undefined;
  path: string | undefined;
  authority: string | undefined;
  /** Alternating names and values as received, without pseudo-headers. */
  readonly fields: string[] = [];
  /** The value of the header; undefined when it is absent. */
  contentLength: number | undefined;
  #isMalformed = false;
  #bytes = 0;
  #count = 0;
  readonly #limits: HeaderLimits;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#limits.maxHeaderBytes;
  }

  get isTooMany(): boolean {
    return this.#count > this.#limits.maxHeaders;
  }

  /** Whether they are the headers of a request (RFC 9113, 8.3.1). */
  get isRequest(): boolean {
    if (this.#isMalformed || this.method === undefined) return false;
    if (this.method === 'CONNECT') return this.scheme === undefined && this.path === undefined;
    return this.scheme !== undefined && this.path !== undefined && this.path !== '';
  }

  /** Whether they are valid trailers. */
  get isTrailers(): boolean {
    const { method, scheme, path, authority } = this;
    return !this.#isMalformed && (method ?? scheme ?? path ?? authority) === undefined;
  }

  field(name: string, value: string): void {
    this.#bytes += name.length + value.length;
    this.#count += 1;
    if (this.isTooLarge || this.isTooMany) {
      if (this.#count > MAX_IGNORED) throw new ConnectionError(CODE.enhanceYourCalm, 'Too many headers');
      return;
    }
    if (!isValue(value)) this.#isMalformed = true;
    else if (name.charCodeAt(0) === COLON) this.#pseudo(name, value);
    else this.#regular(name, value);
  }

  /** The values of a header, joined; undefined when there is none. */
  value(name: string): string | undefined {
    const { fields } = this;
    let joined: string | undefined;
    for (let at = 0; at < fields.length; at += 2) {
      if (fields[at] !== name) continue;
      if (joined === undefined) joined = fields[at + 1];
      else if (!SINGLE.has(name)) joined += (name === 'cookie' ? '; ' : ', ') + fields[at + 1];
    }
    return joined;
  }

  #pseudo(name: string, value: string): void {
    const isFirst = this.fields.length === 0;
    if (name === ':path') this.path = this.#once(this.path, value);
    else if (name === ':method') this.method = this.#once(this.method, value);
    else if (name === ':scheme') this.scheme = this.#once(this.scheme, value);
    else if (name === ':authority') this.authority = this.#once(this.authority, value);
    else this.#isMalformed = true;
    if (!isFirst) this.#isMalformed = true;
  }

  #once(before: string | undefined, value: string): string {
    if (before !== undefined) this.#isMalformed = true;
    return value;
  }

  #regular(name: string, value: string): void {
    this.fields.push(name, value);
    if (!isHeaderName(name) || FORBIDDEN.has(name) || (name === 'te' && value !== 'trailers')) this.#isMalformed = true;
    if (name === 'content-length') this.#declare(value);
  }

  #declare(value: string): void {
    const length = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
    if (length === undefined || (this.contentLength !== undefined && this.contentLength !== length)) {
      this.#isMalformed = true;
    }
    this.contentLength = length;
  }
}

/** Whether a lower-case name is a valid header name. */
export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

function isValue(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const character = value.charCodeAt(at);
    if ((character < SPACE && character !== TAB) || character === DELETE) return false;
  }
  return true;
}
