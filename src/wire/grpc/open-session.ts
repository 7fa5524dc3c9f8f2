import type { ClientHttp2Session } from 'node:http2';
import { AbortScope, type Clock, messageOf } from '../../base/index.ts';
import { dial, openHttp2 } from '../http/index.ts';
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
export async function openSession(address: Address, options: SessionOptions): Promise<ClientHttp2Session> {
  const { clock, timeoutMs, signal } = options;
  using scope = new AbortScope(signal);
  using _timeUp = clock.timer(timeoutMs, () => scope.abort(new Error(`no answer in ${timeoutMs} ms`)));
  try {
    return await connected(address, options.tls, scope.signal);
  } catch (cause) {
    const message = `Cannot connect to ${formatAddress(address)}: ${messageOf(cause)}`;
    throw new GrpcError('UNAVAILABLE', message, { cause, isUnsent: true });
  }
}

async function connected(
  address: Address,
  tls: TlsCredentials | undefined,
  signal: AbortSignal,
): Promise<ClientHttp2Session> {
  const isSecure = address.isSecure ?? tls !== undefined;
  const server = new URL(`${isSecure ? 'https' : 'http'}://${address.authority}`);
  const socketPath = address.type === 'unix' ? address.path : undefined;
  const certificate = tls?.certificate;
  const socket = await dial(
    { server, socketPath, serverName: tls?.serverName },
    {
      authorities: tls?.ca === undefined ? undefined : asText(tls.ca),
      certificate:
        certificate === undefined ? undefined : { certificate: asText(certificate), key: asText(tls?.key ?? '') },
      protocols: ['h2'],
      signal,
    },
  );
  const windows = { streamWindowBytes: CALL_WINDOW_BYTES, sessionWindowBytes: CONNECTION_WINDOW_BYTES };
  return openHttp2(socket, { origin: server.origin, ...windows, signal });
}

function asText(pem: string | Uint8Array): string {
  return typeof pem === 'string' ? pem : Buffer.from(pem).toString('utf8');
}
