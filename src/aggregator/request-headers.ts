import type { Call } from '../apiserver/index.ts';
import { identityHeaders, isIdentityHeader } from './identity-headers.ts';

type Headers = Record<string, string | readonly string[]>;

/** Headers that mean one connection only (RFC 9110, 7.6.1), and those that are written anew. */
const NOT_PASSED_ON = new Set([
  'authorization',
  'connection',
  'expect',
  'host',
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

/** The headers with which a request goes on to another server: the client's own but for those about it and its connection. */
export function forwardedHeaders(call: Call, backend: { readonly host: string }, path: string): Headers {
  const listed = new Set(
    (call.header('connection') ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const headers: Headers = {};
  for (const name of call.headerNames()) {
    if (name.startsWith(':') || NOT_PASSED_ON.has(name) || listed.has(name) || isIdentityHeader(name)) continue;
    const values = call.headers(name);
    headers[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  const via = call.header('x-forwarded-for');
  return {
    ...headers,
    'audit-id': call.auditId,
    'x-forwarded-for': via === undefined ? call.remoteAddress : `${via}, ${call.remoteAddress}`,
    'x-forwarded-uri': path,
    'x-forwarded-host': backend.host,
    'x-forwarded-proto': 'https',
    ...identityHeaders(call.user),
  };
}

/** What makes a request one for another protocol. */
export function upgradeHeaders(call: Call): Headers {
  return { connection: 'Upgrade', upgrade: call.header('upgrade') ?? '' };
}

/** Whether the request may have a body to pass on; over HTTP/2 it need not tell how long it is. */
export function hasBody(call: Call): boolean {
  const length = call.header('content-length');
  if (length !== undefined) return length !== '0';
  return call.header('transfer-encoding') !== undefined || METHODS_WITH_BODY.has(call.method);
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
