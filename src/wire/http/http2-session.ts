import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';
import { messageOf, onAbort } from '../../base/index.ts';
import { TransportError } from './transport-error.ts';

export interface Http2SessionOptions {
  readonly origin: string;
  /** How much the server may send before it is read, for one stream and for all streams of the connection. */
  readonly streamWindowBytes: number;
  readonly sessionWindowBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Opens an HTTP/2 session on a connected socket; resolves when the server's SETTINGS have arrived, which also shows that it
 * speaks HTTP/2. Otherwise the session is destroyed.
 */
export function openHttp2(socket: Socket, options: Http2SessionOptions): Promise<ClientHttp2Session> {
  const { origin, streamWindowBytes, sessionWindowBytes, signal } = options;
  const session = connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
  });
  session.on('error', () => undefined); // users of the session see its close and the errors of its streams
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      aborting[Symbol.dispose]();
      session.removeListener('close', closed);
      session.removeListener('error', fail);
      socket.removeListener('error', fail);
    };
    const fail = (cause: unknown): void => {
      settle();
      session.destroy();
      reject(new TransportError('connect', `Cannot connect to "${origin}": ${messageOf(cause)}`, { cause }));
    };
    const closed = (): void => fail(new Error('the server closed the connection'));
    const aborting = onAbort(signal, () => fail(signal.reason));
    session.once('error', fail);
    socket.once('error', fail); // the session does not notice that the server rejected the client certificate
    session.once('close', closed);
    session.once('remoteSettings', () => {
      settle();
      session.setLocalWindowSize(sessionWindowBytes);
      resolve(session);
    });
  });
}
