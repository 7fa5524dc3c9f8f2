import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '../../base/index.ts';
import type { TransportLimits } from './limits.ts';

/** What the server shows to its clients, as PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

interface Handshake {
  readonly serving: ServingCertificate;
  /** PEM of the authorities whose certificates clients may show; without it, none are asked for. */
  readonly clientAuthorities?: string | undefined;
}

export interface HttpsServerOptions extends Handshake {
  readonly clock: Clock;
  readonly limits: TransportLimits;
  /** Whether a connection may go on to TLS. */
  readonly admit: (socket: Socket) => boolean;
  readonly onHttp2: (socket: TLSSocket) => void;
  readonly onHttp1: (socket: TLSSocket) => void;
}

/**
 * What is offered: suites that authenticate what they encrypt (AEAD) only, and with keys that are not reused. TLS 1.3 has no
 * others, and every client of the last ten years knows these of TLS 1.2, Go's in particular.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** How long after the time for its headers ran out a connection may live on, at most. */
const CHECK_EVERY_MS = 5_000;

/** What a handshake goes by. All of it: whoever gives a running server another certificate gives it the rest again. */
export function handshakeOptions({ serving, clientAuthorities }: Handshake): SecureContextOptions {
  return {
    cert: serving.certificate,
    key: serving.key,
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
  };
}

/** A TLS server that hands connections on by the protocol agreed upon (ALPN); HTTP/1.1 is Node's own business. */
export function httpsServer(options: HttpsServerOptions): Server {
  const { clientAuthorities, limits } = options;
  const server = createServer({
    ...handshakeOptions(options),
    requestCert: clientAuthorities !== undefined,
    rejectUnauthorized: false, // whoever shows a wrong certificate is refused by authentication, with a Status
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.handshakeTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0, // our own deadline ends short requests, and the body of a long one may take its time
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, limits.headersTimeoutMs),
    maxHeaderSize: limits.maxHeaderBytes,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 180_000,
  });
  server.maxHeadersCount = 0; // their size is limited; Node would drop what is above a count without a word
  const greet = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (stream) => {
    const socket = stream as Socket;
    if (!options.admit(socket)) {
      socket.destroy();
      return;
    }
    whenItSpeaks(socket, {
      clock: options.clock,
      waitMs: limits.handshakeTimeoutMs,
      begin: () => greet.forEach((listener) => listener.call(server, socket)),
      leave: (error) => server.emit('clientError', error, socket),
    });
  });
  const serveHttp1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') {
      options.onHttp2(socket);
      return;
    }
    options.onHttp1(socket);
    for (const serve of serveHttp1) serve.call(server, socket);
  });
  return server;
}

interface FirstWord {
  readonly clock: Clock;
  /** How long the client may take. */
  readonly waitMs: number;
  begin(): void;
  leave(error: Error): void;
}

/** Begins with TLS when the client does: a connection that says nothing costs a socket and a timer, and no more. */
function whenItSpeaks(socket: Socket, { clock, waitMs, begin, leave: end }: FirstWord): void {
  const leave = (error: Error = new Error('the client said nothing')): void => {
    stopWaiting();
    end(error);
  };
  const look = (): void => {
    if (socket.readableLength === 0) return leave();
    stopWaiting();
    begin();
  };
  const timer = clock.timer(waitMs, () => leave());
  const stopWaiting = (): void => {
    timer[Symbol.dispose]();
    socket.off('error', leave).off('readable', look).off('close', stopWaiting);
  };
  socket.on('error', leave).on('readable', look).on('close', stopWaiting);
}
