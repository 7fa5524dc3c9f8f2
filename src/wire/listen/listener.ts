import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ListenerLimits {
  /** Concurrent TCP connections. */
  readonly maxConnections: number;
  /** From the first byte of a request over HTTP/1.1 to the end of its headers; a connection's first request has this from the start. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request over HTTP/1.1 to the end of its body; default unlimited. */
  readonly requestTimeoutMs?: number;
  /** A connection of HTTP/1.1 is closed after this time without a request; default 5 s. */
  readonly idleTimeoutMs?: number;
  /** Names and values of a request's headers over HTTP/1.1; default 16 KiB. */
  readonly maxHeaderBytes?: number;
}

/** Handles HTTP/1.1. An event without a handler is left to Node's server. */
export interface Http1Handlers {
  readonly request?: (message: IncomingMessage, response: ServerResponse) => void;
  /** A request whose client waits for `100 Continue` before it sends the body. */
  readonly checkContinue?: (message: IncomingMessage, response: ServerResponse) => void;
  readonly upgrade?: (message: IncomingMessage, socket: Duplex, first: Buffer) => void;
  /** A connection that failed in TLS or sent something other than HTTP; the handler closes it. */
  readonly clientError?: (error: Error, socket: Duplex) => void;
}

export interface ListenerOptions {
  readonly limits: ListenerLimits;
  readonly http1: Http1Handlers;
}

/** How often Node checks the timeouts, and so how late they may fire. */
const CHECK_EVERY_MS = 5000;

/** Options of Node's server for HTTP/1.1. */
export function http1Options(limits: ListenerLimits): ServerOptions {
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout = 0 } = limits;
  return {
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeout),
    keepAliveTimeout: limits.idleTimeoutMs ?? 5000,
    maxHeaderSize: limits.maxHeaderBytes ?? 16_384,
  };
}

/**
 * A port for HTTP/1.1, with a limit on everything that a client can consume. `TlsListener` adds TLS, HTTP/2, and the closing
 * of silent connections above the limit.
 *
 * Ends: with `end`.
 */
export class Listener {
  readonly #server: Server;
  #address: ReturnType<Server['address']> = null;

  /** `server` must not be listening; default one for plain HTTP. */
  constructor({ limits, http1 }: ListenerOptions, server: Server = createServer(http1Options(limits))) {
    this.#server = server;
    server.maxConnections = limits.maxConnections;
    for (const [event, handler] of Object.entries(http1)) server.on(event, handler as () => void);
  }

  /** The listening address, with the actual port; after the end, what it was. */
  get address(): AddressInfo {
    return this.#address as AddressInfo;
  }

  /** Opens the port; 0 takes any free one. `::` also takes IPv4 connections, unless `isIpv6Only`. */
  async open(host: string, port: number, { isIpv6Only = false } = {}): Promise<AddressInfo> {
    this.#server.listen({ port, host, ipv6Only: isIpv6Only });
    await once(this.#server, 'listening');
    this.#address = this.#server.address();
    return this.address;
  }

  /** Closes the port and all connections; resolves when that is done. */
  async end(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close().closeAllConnections();
    await closed;
  }
}
