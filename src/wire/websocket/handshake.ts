import { createHash } from 'node:crypto';

/** Returns a request header by its lower-case name. */
export type HeaderOf = (name: string) => string | undefined;

/** The server's response to a client that requests WebSocket (RFC 6455). */
export interface Handshake {
  /** 101 when it is accepted. */
  readonly code: 101 | 400 | 403;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Picks the subprotocol: '' for none; undefined rejects the request. */
export type ProtocolChoice = (offered: readonly string[]) => string | undefined;

export const WEBSOCKET_VERSION = '13';
/** From RFC 6455, section 1.3: proves that the server speaks the protocol and did not send a cached response. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Whether the request asks for WebSocket. */
export function wantsWebSocket(header: HeaderOf): boolean {
  const connection = header('connection')?.toLowerCase() ?? '';
  return header('upgrade')?.toLowerCase() === 'websocket' && connection.includes('upgrade');
}

/**
 * Checks the request in the order of kube-apiserver: key, version, then `choose`. Without `choose`, as for watches, there
 * must be an origin and at most one protocol. Extensions such as permessage-deflate are never accepted.
 */
export function handshake(header: HeaderOf, choose?: ProtocolChoice): Handshake {
  const key = header('sec-websocket-key') ?? '';
  if (key === '') return refusal(400, {}, 'mismatch challenge/response');
  if (header('sec-websocket-version') !== WEBSOCKET_VERSION)
    return refusal(400, { 'Sec-WebSocket-Version': WEBSOCKET_VERSION }, 'missing or bad WebSocket Version');
  const offered = listOf(header('sec-websocket-protocol'));
  if (choose === undefined && !isOrigin(header('origin') ?? '')) return refusal(403);
  if (choose === undefined && offered.length > 1) return refusal(400);
  const protocol = choose === undefined ? (offered[0] ?? '') : choose(offered);
  if (protocol === undefined) return refusal(403);
  return {
    code: 101,
    headers: {
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Accept': acceptValue(key),
      ...(protocol === '' ? {} : { 'Sec-WebSocket-Protocol': protocol }),
    },
    body: '',
  };
}

/** The `Sec-WebSocket-Accept` value for a client's key. */
export function acceptValue(key: string): string {
  return createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64');
}

function refusal(code: 400 | 403, headers: Handshake['headers'] = {}, body = ''): Handshake {
  return { code, headers, body };
}

function listOf(header = ''): readonly string[] {
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function isOrigin(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text);
}
