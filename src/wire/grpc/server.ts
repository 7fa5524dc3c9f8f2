import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createSecureServer, createServer, type Http2Server } from 'node:http2';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { type Clock, discardLogger, type Logger, messageOf } from '../../base/index.ts';
import { formatAddress, parseAddress } from './address.ts';
import { GrpcError } from './grpc-error.ts';
import type { ServedMethod } from './method.ts';
import { ServerCall } from './server-call.ts';

export interface GrpcServerLimits {
  /** The largest message accepted from a client; 4 MiB, gRPC's usual limit. */
  readonly maxReceiveBytes: number;
  /** Names and values of a call's headers together. */
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
  /** Concurrent calls on one connection; the protocol refuses more. */
  readonly maxCalls: number;
  /** How long calls may take to finish once the server stops. */
  readonly drainMs: number;
}

export const DEFAULT_GRPC_LIMITS: GrpcServerLimits = {
  maxReceiveBytes: 4 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 1000,
  maxCalls: 100,
  drainMs: 1000,
};

export interface GrpcServerOptions {
  /** `unix:/run/x.sock`, or `host:port`; port 0 takes any free port. */
  readonly address: string;
  readonly methods: readonly ServedMethod[];
  /** PEM of the server's certificate; without it the server speaks plain text, which is for unix sockets. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly clientAuthorities?: string };
  readonly clock: Clock;
  readonly log?: Logger;
  readonly limits?: Partial<GrpcServerLimits>;
}

/**
 * A gRPC server on node:http2. Its clients are trusted but may have bugs, as those of a unix socket are: the size and number
 * of everything is limited, but there is no defence against floods of cancelled calls.
 */
export class GrpcServer implements AsyncDisposable {
  readonly #options: GrpcServerOptions;
  readonly #limits: GrpcServerLimits;
  readonly #methods: ReadonlyMap<string, ServedMethod>;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  #failure: string | undefined;

  private constructor(options: GrpcServerOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_GRPC_LIMITS, ...options.limits };
    this.#methods = new Map(options.methods.map((method) => [method.path, method]));
    this.#server = openServer(options, this.#limits);
    this.#server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      this.#failure = undefined;
      session.on('error', () => undefined); // the stream of each call fails as well
      session.once('close', () => this.#sessions.delete(session));
    });
    this.#server.on('stream', this.#accept as (stream: ServerHttp2Stream) => void);
  }

  static async listen(options: GrpcServerOptions): Promise<GrpcServer> {
    const server = new GrpcServer(options);
    const [, host, port] = /^(.*):(\d+)$/.exec(options.address) ?? [];
    if (options.address.startsWith('unix:')) server.#server.listen(unixPath(options.address));
    else server.#server.listen(Number(port), host?.replace(/^\[|\]$/g, ''));
    try {
      await once(server.#server, 'listening');
    } catch (cause) {
      throw cannotListen(options.address, cause);
    }
    server.#server.on('error', (error: Error) => {
      server.#failure = error.message;
      options.log?.error('gRPC server cannot accept a connection', { address: options.address, error });
    });
    return server;
  }

  /** Why the last connection could not be accepted; undefined when it was. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** In the form that channels take, with the actual port. */
  get address(): string {
    const bound = this.#server.address() as AddressInfo | string;
    if (typeof bound === 'string') return `unix:${bound}`;
    const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
    return `${this.#options.tls === undefined ? 'http' : 'https'}://${host}:${bound.port}`;
  }

  /** Accepts no more calls, gives those in flight `drainMs`, and cuts the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const session of this.#sessions) session.close();
    using _timeUp = this.#options.clock.timer(this.#limits.drainMs, () => {
      for (const session of this.#sessions) session.destroy();
    });
    await closed;
  }

  readonly #accept = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    raw: readonly string[],
  ): void => {
    const call = new ServerCall(stream, headers, this.#options.clock);
    const method = this.#methods.get(headers[':path'] ?? '');
    const refusal = this.#refusal(headers, raw);
    if (typeof refusal === 'number') stream.respond({ ':status': refusal }, { endStream: true });
    else if (refusal !== undefined) call.finish(refusal);
    if (refusal === undefined && method !== undefined) void this.#serve(method, call);
  };

  async #serve(method: ServedMethod, call: ServerCall): Promise<void> {
    const { log = discardLogger } = this.#options;
    try {
      for await (const message of method.serve(call.messages(this.#limits.maxReceiveBytes), call)) {
        await call.send(message);
      }
      call.finish();
    } catch (error) {
      if (!(error instanceof GrpcError) && !call.signal.aborted)
        log.error('gRPC call failed', { path: method.path, error });
      call.finish(error instanceof GrpcError ? error : new GrpcError('UNKNOWN', 'The method failed'));
    }
  }

  /** Why a call is refused: an HTTP status when it is not gRPC, else a gRPC error. */
  #refusal(headers: IncomingHttpHeaders, raw: readonly string[]): GrpcError | number | undefined {
    const bytes = raw.reduce((sum, text) => sum + text.length, 0);
    if (bytes > this.#limits.maxHeaderBytes) return 431; // the limit in the settings binds only conforming clients
    if (headers[':method'] !== 'POST') return 405;
    if (headers['content-type']?.startsWith('application/grpc') !== true) return 415;
    const encoding = headers['grpc-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      const metadata = { 'grpc-accept-encoding': 'identity' };
      return new GrpcError('UNIMPLEMENTED', `Cannot read messages in encoding ${JSON.stringify(encoding)}`, {
        metadata,
      });
    }
    if (this.#methods.has(headers[':path'] ?? '')) return undefined;
    return new GrpcError('UNIMPLEMENTED', `There is no method ${JSON.stringify(headers[':path'])}`);
  }
}

function openServer({ tls }: GrpcServerOptions, limits: GrpcServerLimits): Http2Server {
  const settings = { maxConcurrentStreams: limits.maxCalls, maxHeaderListSize: limits.maxHeaderBytes };
  const authorities = tls?.clientAuthorities;
  const server =
    tls === undefined
      ? createServer({ settings })
      : createSecureServer({
          settings,
          cert: tls.certificate,
          key: tls.key,
          minVersion: 'TLSv1.2',
          ...(authorities === undefined ? {} : { ca: authorities, requestCert: true, rejectUnauthorized: true }),
        });
  server.maxConnections = limits.maxConnections;
  return server as Http2Server; // the secure one differs in the events of its handshake only
}

/** What keeps a server from its address. Node.js says EACCES for a socket in a folder that does not exist. */
function cannotListen(address: string, cause: unknown): Error {
  const folder = address.startsWith('unix:') ? dirname(unixPath(address)) : undefined;
  const reason = folder === undefined || existsSync(folder) ? messageOf(cause) : `there is no folder "${folder}"`;
  return new Error(`Cannot listen at "${address}": ${reason}`, { cause });
}

function unixPath(address: string): string {
  return formatAddress(parseAddress(address)).slice('unix:'.length);
}
