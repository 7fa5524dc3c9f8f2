import { getServers } from 'node:dns';
import { messageOf } from '../../base/index.ts';
import { isTransportError } from './transport-error.ts';

/** The abort reason of a call that exceeded its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  constructor() {
    super('context deadline exceeded');
  }
}

/** Go's texts for errors of the operating system. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  EADDRNOTAVAIL: "can't assign requested address",
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EMFILE: 'too many open files',
};

/** Go's texts for the TLS alerts with which the other side ends a handshake. */
const ALERT_WORDS: readonly (readonly [alert: string, words: string])[] = [
  ['HANDSHAKE_FAILURE', 'handshake failure'],
  ['CERTIFICATE_REQUIRED', 'certificate required'],
  ['BAD_CERTIFICATE', 'bad certificate'],
  ['UNKNOWN_CA', 'unknown certificate authority'],
  ['CERTIFICATE_EXPIRED', 'expired certificate'],
  ['PROTOCOL_VERSION', 'protocol version not supported'],
  ['UNRECOGNIZED_NAME', 'unrecognized name'],
  ['INTERNAL_ERROR', 'internal error'],
];

interface NodeError extends Error {
  /** A name such as `ECONNREFUSED`; errors from elsewhere may have any value. */
  readonly code?: unknown;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  /** The bytes that could not be parsed as HTTP. */
  readonly rawPacket?: Buffer;
}

/** The error text of Go's HTTP client. `quote` formats bytes that the other side sent, as Go does. */
export function goTransportWords(error: unknown, quote: (text: string) => string): string {
  const cause = rootOf(error);
  const code = typeof cause.code === 'string' ? cause.code : '';
  if (cause.syscall === 'connect') return `dial tcp ${addressOf(cause)}: connect: ${SYSTEM_WORDS[code] ?? code}`;
  if (cause.syscall === 'getaddrinfo') return `dial tcp: lookup ${cause.hostname} on ${nameServer()}: no such host`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || isPlainAnswer(cause))
    return 'http: server gave HTTP response to HTTPS client';
  if (code.startsWith('ERR_SSL_')) return tlsWords(code);
  if (code.startsWith('HPE_')) return brokenHttp(code, cause, quote);
  if (code === 'ECONNRESET' && cause.syscall === undefined) return 'EOF'; // Node's word for an end that came too early
  if (isTransportError(cause, 'cut') || cause.message === 'the server closed the connection') return 'EOF';
  return SYSTEM_WORDS[code] ?? messageOf(cause);
}

/** The first error when several addresses were tried, as in Go. */
function rootOf(error: unknown): NodeError {
  let current: unknown = error;
  for (let depth = 0; depth < 10; depth++) {
    if (current instanceof AggregateError && current.errors.length > 0) current = current.errors[0];
    else if (isTransportError(current) && current.cause instanceof Error) current = current.cause;
    else break;
  }
  return current instanceof Error ? current : new Error(String(current));
}

/** OpenSSL's error when the answer to a handshake is no TLS, as Node.js reports it while the handshake is being written. */
function isPlainAnswer({ code, message }: NodeError): boolean {
  return code === 'EPROTO' && message.includes('wrong version number');
}

function addressOf({ address = '', port = 0 }: NodeError): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function nameServer(): string {
  const [server = '127.0.0.1'] = getServers();
  if (/:\d+$/.test(server) && (server.startsWith('[') || server.split(':').length === 2)) return server;
  return server.includes(':') ? `[${server}]:53` : `${server}:53`;
}

function tlsWords(code: string): string {
  const alert = ALERT_WORDS.find(([name]) => code.includes(`ALERT_${name}`));
  return alert === undefined
    ? `tls: ${code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ')}`
    : `remote error: tls: ${alert[1]}`;
}

function brokenHttp(code: string, { rawPacket }: NodeError, quote: (text: string) => string): string {
  const prefix = 'net/http: HTTP/1.x transport connection broken: ';
  const [line = ''] = (rawPacket?.toString('latin1') ?? '').split(/\r?\n/);
  if (!/^HTTP\/\d\.\d \d{3}/.test(line)) return `${prefix}malformed HTTP response ${quote(line)}`;
  return `${prefix}malformed MIME header: ${code.slice('HPE_'.length).toLowerCase().replaceAll('_', ' ')}`;
}
