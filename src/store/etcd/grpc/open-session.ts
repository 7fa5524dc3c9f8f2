import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2';
import { connect as connectSocket, isIP } from 'node:net';
import type { Clock } from '../../../base/index.ts';
import { type Address, formatAddress } from './address.ts';
import type { TlsCredentials } from './credentials.ts';
import { GrpcError } from './grpc-error.ts';

export interface SessionOptions {
  readonly tls?: TlsCredentials;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** How much a server may send ahead of the reader, for one call and for all calls of a connection. */
const CALL_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Connects; rejects with an UNAVAILABLE that says why. */
export function openSession(address: Address, options: SessionOptions): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(urlOf(address, options.tls), connectOptions(address, options.tls));
    const fail = (cause: unknown): void => {
      finish();
      session.destroy();
      const why = cause instanceof Error ? cause.message || cause.name : String(cause);
      const message = `Cannot connect to ${formatAddress(address)}: ${why}`;
      reject(new GrpcError('UNAVAILABLE', message, { cause, isUnsent: true }));
    };
    const timer = options.clock.timer(options.timeoutMs, () => fail(new Error(`no answer in ${options.timeoutMs} ms`)));
    const abort = (): void => fail(options.signal?.reason);
    const close = (): void => fail(new Error('the server closed the connection'));
    const finish = (): void => {
      timer[Symbol.dispose]();
      options.signal?.removeEventListener('abort', abort);
      session.off('error', fail);
      session.off('close', close);
      session.on('error', ignore); // whoever uses the session learns of it by its close and by its streams
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    session.on('error', fail);
    session.on('close', close);
    // the first SETTINGS tell that it is a server of HTTP/2 that has answered
    session.once('remoteSettings', () => {
      finish();
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
      resolve(session);
    });
  });
}

function urlOf(address: Address, tls: TlsCredentials | undefined): string {
  const isSecure = address.isSecure ?? tls !== undefined;
  return `${isSecure ? 'https' : 'http'}://${address.authority}`;
}

function connectOptions(address: Address, tls: TlsCredentials | undefined): SecureClientSessionOptions {
  const settings = { enablePush: false, initialWindowSize: CALL_WINDOW_BYTES };
  if (address.type === 'unix') return { settings, createConnection: () => connectSocket(address.path) };
  const serverName = tls?.serverName ?? (isIP(address.host) === 0 ? address.host : undefined);
  return {
    settings,
    ca: asText(tls?.ca),
    cert: asText(tls?.certificate),
    key: asText(tls?.key),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

function asText(pem: string | Uint8Array | undefined): string | undefined {
  return pem === undefined || typeof pem === 'string' ? pem : Buffer.from(pem).toString('utf8');
}

function ignore(): void {
  // see where it is attached
}
