import { createHash } from 'node:crypto';

/** Header of a request by its name in lower case. */
export type HeaderOf = (name: string) => string | undefined;

/** What is written back to a client that wants to go on with WebSocket (RFC 6455). */
export type Handshake =
  | { readonly isAccepted: true; readonly answer: string }
  | { readonly isAccepted: false; readonly answer: string };

const VERSION = '13';
/** From RFC 6455, section 1.3: proves that the server speaks the protocol and has not cached an answer. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Whether the request asks to go on with WebSocket. */
export function wantsWebSocket(header: HeaderOf): boolean {
  const connection = header('connection')?.toLowerCase() ?? '';
  return header('upgrade')?.toLowerCase() === 'websocket' && connection.includes('upgrade');
}

/** Judges the request in the order that kube-apiserver does: key, version, origin (there must be one), protocol (at most one). */
export function handshake(header: HeaderOf): Handshake {
  const key = header('sec-websocket-key') ?? '';
  if (key === '') return refusal(400, '', 'mismatch challenge/response');
  if (header('sec-websocket-version') !== VERSION)
    return refusal(400, `Sec-WebSocket-Version: ${VERSION}\r\n`, 'missing or bad WebSocket Version');
  if (!isOrigin(header('origin') ?? '')) return refusal(403);
  const protocols = (header('sec-websocket-protocol') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (protocols.length > 1) return refusal(400);
  const accept = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64');
  const protocol = protocols[0] === undefined ? '' : `Sec-WebSocket-Protocol: ${protocols[0]}\r\n`;
  const head = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${protocol}`;
  return { isAccepted: true, answer: `HTTP/1.1 101 Switching Protocols\r\n${head}\r\n` };
}

function refusal(code: 400 | 403, headers = '', body = ''): Handshake {
  const reason = code === 400 ? 'Bad Request' : 'Forbidden';
  return { isAccepted: false, answer: `HTTP/1.1 ${code} ${reason}\r\n${headers}\r\n${body}` };
}

function isOrigin(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text);
}
