import type { ResponseHeaders } from '../../wire/http/index.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';

/** By lower-case name; a list stands for a repeated header. */
export type ForwardedHeaders = Record<string, string | readonly string[]>;

/** Headers that apply to one connection only (RFC 9110, 7.6.1), and credentials, which are for this server only. */
const NOT_PASSED_ON = new Set([
  'authorization',
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The end-to-end headers of a request, with the client's address added. */
export function endToEndHeaders(request: IncomingRequest): ForwardedHeaders {
  const listed = new Set(
    (request.header('connection') ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const headers: ForwardedHeaders = {};
  for (const name of request.headerNames()) {
    if (name.startsWith(':') || NOT_PASSED_ON.has(name) || listed.has(name)) continue;
    const values = request.headers(name);
    headers[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  const via = request.header('x-forwarded-for');
  headers['x-forwarded-for'] = via === undefined ? request.remoteAddress : `${via}, ${request.remoteAddress}`;
  return headers;
}

/** The headers of an answer that are returned to the client. CORS headers are left out: this server sets its own. */
export function answerHeaders(headers: ResponseHeaders): ForwardedHeaders {
  const kept: ForwardedHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || name.startsWith('access-control-allow-')) continue;
    if (name !== 'date') kept[name] = value;
  }
  return kept;
}

/** A path as it is written in a request, escaped as Go does. */
export function escapedPath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/g, (text) => encodeURIComponent(text));
}
