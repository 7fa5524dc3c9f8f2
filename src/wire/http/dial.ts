import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { messageOf, onAbort } from '../../base/index.ts';
import { TransportError } from './transport-error.ts';

/** A certificate and its private key, as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The address of a server, and how it authenticates itself. */
export interface DialTarget {
  readonly server: URL;
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly proxyUrl?: string;
  /** A unix socket to connect to instead of the host of `server`. */
  readonly socketPath?: string;
  /** The address to connect to instead of the host of `server`; called for every connection. */
  readonly address?: (signal: AbortSignal) => Promise<DialAddress>;
  /** Decides how the address is reached; default on the network. */
  readonly dialer?: Dialer;
  /** A connection within this process, used instead of the host of `server`. */
  readonly connection?: () => Duplex;
  /**
   * Decides by the certificate that the server showed whether to refuse it, in place of Node.js; for callers whose error
   * messages differ. See `judgedBy`.
   */
  readonly judgeCertificate?: (socket: TLSSocket) => Error | undefined;
}

export interface DialAddress {
  readonly host: string;
  readonly port: number;
  /** The name of what has the address, for a dialer that tells owners of the same address apart. */
  readonly name?: string;
}

/** Decides how addresses are reached. */
export interface Dialer {
  /**
   * How to open a connection within this process; undefined for an address that is dialled on the network. Rejects, with Go's words, when
   * the address leads nowhere and must not be dialled.
   */
  routeTo(address: DialAddress): Promise<(() => Duplex) | undefined>;
}

export interface TlsCredentials {
  /** PEM of the trusted authorities; default those of the system. */
  readonly authorities?: string;
  readonly certificate?: ClientCertificate;
}

export interface DialOptions extends TlsCredentials {
  /** In order of preference. */
  readonly protocols: readonly string[];
  readonly signal: AbortSignal;
}

/** TCP keep-alive, which notices a dead peer where no ping is sent. */
export const KEEP_ALIVE_MS = 30_000;

/** Opens a connection: a unix socket or TCP, perhaps through a proxy, and TLS when the server's URL says so. */
export async function dial(target: DialTarget, options: DialOptions): Promise<Socket | TLSSocket> {
  options.signal.throwIfAborted();
  const plain = await openPlain(target, options.signal);
  if (target.server.protocol === 'http:') return plain as Socket;
  return secure(plain, target, options);
}

/** The protocol negotiated by ALPN; HTTP/1.1 when there was no negotiation. */
export function agreedProtocol(socket: Socket | TLSSocket): 'h2' | 'http/1.1' {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
}

async function openPlain(target: DialTarget, signal: AbortSignal): Promise<Duplex> {
  const { server, proxyUrl, socketPath, connection } = target;
  if (connection !== undefined) return connection();
  const address = (await target.address?.(signal)) ?? { host: hostOf(server), port: portOf(server) };
  const { host, port } = address;
  const open = await target.dialer?.routeTo(address).catch((cause: unknown) => {
    throw cannotConnect(server, cause);
  });
  if (open !== undefined) return open();
  if (proxyUrl !== undefined) return openTunnel(proxyUrl, `${server.hostname}:${port}`, signal);
  const socket =
    socketPath === undefined
      ? connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS })
      : connectTcp({ path: socketPath });
  return ready(socket, 'connect', { server, signal });
}

async function secure(plain: Duplex, target: DialTarget, options: DialOptions): Promise<TLSSocket> {
  let socket: TLSSocket;
  try {
    socket = connectTls({ socket: plain, host: hostOf(target.server), ...tlsOptions(target, options) });
  } catch (cause) {
    plain.destroy();
    throw cannotConnect(target.server, cause, 'credentials');
  }
  await verified(socket, target, options);
  return socket;
}

/** Connecting with them throws when the certificate or key is not PEM, or when they do not match. */
export function tlsOptions(target: DialTarget, options: DialOptions): ConnectionOptions {
  const { server, serverName, insecureSkipTlsVerify, judgeCertificate } = target;
  const host = hostOf(server);
  return {
    ...(serverName === undefined && isIP(host) !== 0 ? {} : { servername: serverName ?? host }),
    rejectUnauthorized: insecureSkipTlsVerify !== true && judgeCertificate === undefined,
    ...contextOptions(options),
    ALPNProtocols: [...options.protocols],
  };
}

export function contextOptions({ certificate, authorities }: TlsCredentials): SecureContextOptions {
  return {
    // as in Go, any trusted certificate ends the chain: an intermediate authority too, or the server's own
    ...(authorities === undefined ? {} : { ca: authorities, allowPartialTrustChain: true }),
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
  };
}

/** Resolves when the server has shown a certificate that is accepted; else destroys the socket and rejects. */
export async function verified(socket: TLSSocket, target: DialTarget, { signal }: DialOptions): Promise<void> {
  const { server, insecureSkipTlsVerify, judgeCertificate } = target;
  await ready(socket, 'secureConnect', { server, signal });
  const refusal = insecureSkipTlsVerify === true ? undefined : judgeCertificate?.(socket);
  if (refusal === undefined) return;
  socket.destroy();
  throw cannotConnect(server, refusal);
}

export function cannotConnect(
  server: URL,
  cause: unknown,
  failure: 'connect' | 'credentials' = 'connect',
): TransportError {
  return new TransportError(failure, `Cannot connect to "${server.origin}": ${messageOf(cause)}`, { cause });
}

/** The host of a URL; an IPv6 address is without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
}

/** Resolves once the socket is open; otherwise destroys it and rejects with an error that names the target. */
function ready<S extends Duplex>(
  socket: S,
  event: 'connect' | 'secureConnect',
  { server, signal }: { readonly server: URL; readonly signal: AbortSignal },
): Promise<S> {
  return new Promise((resolve, reject) => {
    const aborting = onAbort(signal, () => socket.destroy(new Error('Aborted')));
    const settle = (error?: Error): void => {
      aborting[Symbol.dispose]();
      socket.off('error', settle).off('close', closed);
      if (error === undefined) return resolve(socket);
      socket.on('error', () => undefined); // the promise already has the first error
      socket.destroy();
      reject(signal.aborted ? signal.reason : cannotConnect(server, error));
    };
    const closed = (): void => settle(new Error('the server closed the connection'));
    socket
      .once('error', settle)
      .once('close', closed)
      .once(event, () => settle());
  });
}

/** The problem of a proxy's URL; undefined when it can be used. */
export function checkProxyUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return `proxy-url "${url}" is no URL`;
  const { protocol } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `proxy-url "${url}" is not supported: proxies are spoken to over http or https, not "${protocol.slice(0, -1)}"`;
}

/** Asks a proxy for a tunnel to `host:port` (RFC 9110, CONNECT); returns the socket. */
function openTunnel(proxyUrl: string, target: string, signal: AbortSignal): Promise<Duplex> {
  const proxy = new URL(proxyUrl);
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      const message = `Cannot reach "${target}" through proxy "${proxy.protocol}//${proxy.host}": ${why}`;
      reject(signal.aborted ? signal.reason : new TransportError('connect', message, { cause }));
    };
    const asked = request({
      host: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(credentials === ':'
          ? {}
          : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      agent: false,
      signal,
    });
    asked.once('error', (error) => fail(messageOf(error), error));
    const refuse = (
      { statusCode, statusMessage = '' }: IncomingMessage,
      connection: Duplex | IncomingMessage,
    ): void => {
      connection.destroy();
      fail(`it answered ${statusCode} ${statusMessage}`.trim());
    };
    asked.once('response', (response) => refuse(response, response));
    asked.once('connect', (response, socket, head) => {
      if (response.statusCode !== 200) return refuse(response, socket);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
