import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '../../base/index.ts';
import { ConnectionGate, type ConnectionLimits } from './connection-gate.ts';
import { type Http1Handlers, http1Options, Listener, type ListenerLimits, type ListenerOptions } from './listener.ts';

/** The server's certificate and key, as PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The part of the TLS configuration that can be replaced while the port is open. */
export interface TlsIdentity {
  readonly serving: ServingCertificate;
  /** PEM of the authorities that sign the certificates of clients; default those of the system. */
  readonly clientAuthorities?: string | undefined;
  /** Default TLS 1.2, below which nothing is offered. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Suites of TLS 1.2 in OpenSSL's names; default those with authenticated encryption. Those of TLS 1.3 are always offered. */
  readonly ciphers?: readonly string[];
  /** Key exchanges that are offered, by OpenSSL's names; default Node's. */
  readonly curves?: readonly string[];
}

export interface TlsListenerLimits extends ListenerLimits, ConnectionLimits {
  /** For a connection's first byte, and then for the rest of the handshake. */
  readonly handshakeTimeoutMs: number;
}

export interface TlsListenerOptions extends ListenerOptions, TlsIdentity {
  readonly clock: Clock;
  readonly limits: TlsListenerLimits;
  /** Whether clients are asked for a certificate. A client with a `required` one that no authority signed is refused; default `none`. */
  readonly clientCertificates?: 'none' | 'requested' | 'required';
  /** Serves a connection of HTTP/2, and calls `used` with its first request; without it, HTTP/1.1 alone is offered. */
  readonly http2?: (socket: TLSSocket) => void;
  /** Called with every connection of HTTP/1.1; the result `taken` means that the callee serves it, in place of `http1`. */
  readonly onHttp1?: (socket: TLSSocket) => 'taken' | void;
  /** An error of the port after it was opened, such as no file descriptor for a new connection; default ignored. */
  readonly onError?: (error: Error) => void;
}

export interface ListenerEnd {
  /** Connections are closed by force after this; default at once. */
  readonly graceMs?: number;
  /** Starts the shutdown of requests in flight; connections that are open when the promise resolves are closed. */
  readonly drain?: () => Promise<void> | void;
  /** Called before connections are closed by force. */
  readonly cut?: () => void;
}

/**
 * The suites that are offered: authenticated encryption (AEAD) with ephemeral keys only. TLS 1.3 has no others, and every
 * client of the last ten years supports these of TLS 1.2, Go's in particular.
 */
const CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const OLDER_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** TCP keep-alive probes start after this time without traffic. */
const KEEP_ALIVE_MS = 180_000;

/** A port for HTTP/1.1 and HTTP/2 over TLS; the client selects the protocol (ALPN). */
export class TlsListener extends Listener {
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #gate: ConnectionGate;
  readonly #closed: Promise<void>;
  readonly #onError: TlsListenerOptions['onError'];

  constructor(options: TlsListenerOptions) {
    const { clock, limits, http2, onHttp1, clientCertificates = 'none' } = options;
    const gate = new ConnectionGate(limits);
    const server = createServer({
      ...http1Options(limits),
      ...secureContext(options),
      requestCert: clientCertificates !== 'none',
      rejectUnauthorized: clientCertificates === 'required',
      ALPNProtocols: http2 === undefined ? ['http/1.1'] : ['h2', 'http/1.1'],
      handshakeTimeout: limits.handshakeTimeoutMs,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    guardConnections(server, { gate, clock, waitMs: limits.handshakeTimeoutMs });
    super({ ...options, http1: markingUse(options.http1, gate) }, server);
    server.maxConnections = Infinity; // the gate counts them
    server.maxHeadersCount = 0; // their size is limited; above a count Node would drop headers without an error
    this.#clock = clock;
    this.#server = server;
    this.#gate = gate;
    this.#closed = new Promise((resolve) => server.once('close', resolve));
    this.#onError = options.onError;
    const serveHttp1 = server.listeners('secureConnection');
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket) => {
      gate.ready(socket);
      if (http2 !== undefined && socket.alpnProtocol === 'h2') http2(socket);
      else if (onHttp1?.(socket) !== 'taken') for (const serve of serveHttp1) serve.call(server, socket);
    });
  }

  override async open(host: string, port: number): Promise<AddressInfo> {
    const address = await super.open(host, port);
    this.#server.on('error', (error) => this.#onError?.(error));
    return address;
  }

  /** Call with each request of a connection that `http2` or `onHttp1` serves, or with the first: see ConnectionGate. */
  used(socket: Socket): void {
    this.#gate.used(socket);
  }

  /** Call when all requests of such a connection have been answered. */
  idle(socket: Socket): void {
    this.#gate.idle(socket);
  }

  /** Presents another certificate and trusts other authorities in handshakes from now on; open connections continue. */
  renew(identity: TlsIdentity): void {
    this.#server.setSecureContext(secureContext(identity));
  }

  /** Resolves when it has ended. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Accepts no more connections, lets requests in flight finish for a while, and closes the rest. */
  override async end({ graceMs = 0, drain, cut }: ListenerEnd = {}): Promise<void> {
    this.#server.close();
    const drained = drain?.() ?? this.#closed;
    if (graceMs > 0) {
      const graceOver = new AbortController();
      await Promise.race([drained, this.#closed, this.#clock.sleep(graceMs, graceOver.signal)]);
      graceOver.abort();
    }
    cut?.();
    for (const socket of this.#gate.sockets) socket.destroy();
    await this.#closed;
  }
}

/** The same handlers, which also report each connection's requests to the gate. */
function markingUse(handlers: Http1Handlers, gate: ConnectionGate): Http1Handlers {
  const { request, checkContinue, upgrade, clientError } = handlers;
  const marking =
    (handler: (message: IncomingMessage, response: ServerResponse) => void) =>
    (message: IncomingMessage, response: ServerResponse): void => {
      const { socket } = message;
      gate.used(socket);
      response.once('close', () => gate.idle(socket));
      handler(message, response);
    };
  return {
    ...(request === undefined ? {} : { request: marking(request) }),
    ...(checkContinue === undefined ? {} : { checkContinue: marking(checkContinue) }),
    ...(upgrade === undefined
      ? {}
      : {
          upgrade: (message, socket, first) => {
            gate.used(message.socket);
            upgrade(message, socket, first);
          },
        }),
    ...(clientError === undefined ? {} : { clientError }),
  };
}

/** The complete TLS configuration: `setSecureContext` keeps nothing of the previous one. */
function secureContext(identity: TlsIdentity): SecureContextOptions {
  const { serving, clientAuthorities, minVersion = 'TLSv1.2', ciphers = OLDER_CIPHERS, curves } = identity;
  return {
    cert: serving.certificate,
    key: serving.key,
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
    minVersion,
    ciphers: [...CIPHERS, ...ciphers].join(':'),
    ...(curves === undefined ? {} : { ecdhCurve: curves.join(':') }),
  };
}

/** Answers a request without TLS as Go's server does. True when the error was caused by one. */
export function answerPlainHttp(error: Error & { readonly code?: string }, tlsSocket: Duplex): boolean {
  if (error.code !== 'ERR_SSL_HTTP_REQUEST') return false;
  // Node keeps the TCP socket under a failed TLS one open until this event has been handled, but does not document its name.
  const { _parent: socket } = tlsSocket as { readonly _parent?: Socket };
  socket?.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  return true;
}

interface Guard {
  readonly gate: ConnectionGate;
  readonly clock: Clock;
  /** How long a client may take to send its first byte. */
  readonly waitMs: number;
}

/**
 * Asks the gate about every connection, and starts TLS when the client sends its first byte: a silent connection costs a
 * socket and a timer, and no TLS state.
 */
function guardConnections(server: Server, { gate, clock, waitMs }: Guard): void {
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!gate.admit(socket)) {
      socket.destroy();
      return;
    }
    const fail = (error: Error = new Error('the client sent nothing')): void => {
      stopWaiting();
      if (!server.emit('clientError', error, socket)) socket.destroy();
    };
    const look = (): void => {
      if (socket.readableLength === 0) return fail(); // the client ended the connection
      stopWaiting();
      for (const listener of accept) listener.call(server, socket);
    };
    const timer = clock.timer(waitMs, () => fail());
    const stopWaiting = (): void => {
      timer[Symbol.dispose]();
      socket.off('error', fail).off('readable', look).off('close', stopWaiting);
    };
    socket.on('error', fail).on('readable', look).on('close', stopWaiting);
  });
}
