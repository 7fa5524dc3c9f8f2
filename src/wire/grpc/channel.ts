import type { ClientHttp2Session } from 'node:http2';
import {
  AbortScope,
  Backoff,
  type BackoffOptions,
  type Clock,
  discardLogger,
  type Logger,
  messageOf,
  type Random,
  waitFor,
} from '../../base/index.ts';
import { dial, openHttp2 } from '../http/index.ts';
import { type Address, formatAddress, parseAddress } from './address.ts';
import type { CallOptions } from './call.ts';
import { Connection } from './connection.ts';
import { currentCredentials, type TlsCredentials, type TlsSource } from './credentials.ts';
import type { DuplexCall } from './duplex-call.ts';
import { GrpcError } from './grpc-error.ts';
import type { KeepaliveOptions } from './keepalive.ts';
import type { Method } from './method.ts';

export interface ChannelOptions extends KeepaliveOptions {
  /** The addresses of one server or of several equivalent servers. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** For one attempt at one endpoint; default 5 s. */
  readonly connectTimeoutMs?: number;
  /** Between rounds in which no endpoint could be reached; default from 100 ms, doubling up to 5 s. */
  readonly backoff?: BackoffOptions;
  /** The largest message accepted from the server; default 4 MiB, gRPC's usual limit. */
  readonly maxReceiveBytes?: number;
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for a connection; default: no limit. */
  readonly timeoutMs?: number;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 5000;
const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 100, capMs: 5000, jitter: 0.2 };
const DEFAULT_MAX_RECEIVE_BYTES = 4 * 1024 * 1024;
/** Calls that may wait for a connection at a time; further ones fail with UNAVAILABLE. */
const MAX_WAITING = 10_000;
/** How long calls may take to finish after the channel is closed. */
const CLOSE_GRACE_MS = 1000;

/** A search for an endpoint that answers, shared by all waiting calls. */
interface Opening {
  readonly connection: Promise<Connection>;
  readonly giveUp: AbortController;
  waiting: number;
}

/**
 * A client of a gRPC server that outlives its connections. It has one connection at a time, to the first endpoint that
 * answers; when that is lost or marked as unusable, the next endpoint is tried. It does not connect before the first call.
 */
export class Channel implements AsyncDisposable {
  readonly #options: ChannelOptions;
  readonly #addresses: readonly Address[];
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #connections = new Set<Connection>();
  #current: Connection | undefined;
  #opening: Opening | undefined;
  #nextEndpoint: number;
  #lastFailure: unknown;

  constructor(options: ChannelOptions) {
    if (options.endpoints.length === 0) throw new TypeError('Cannot open a channel: there is no endpoint');
    this.#options = options;
    this.#addresses = options.endpoints.map(parseAddress);
    this.#log = options.log ?? discardLogger;
    this.#nextEndpoint = options.random.int(this.#addresses.length); // spreads many clients over the servers
  }

  /** A usable connection; tries all endpoints in turn until one answers. */
  async connection(options: WaitOptions = {}): Promise<Connection> {
    if (this.#current?.isUsable === true) return this.#current;
    if (this.#closing.signal.aborted) throw closed();
    const opening = (this.#opening ??= this.#startOpening());
    if (opening.waiting >= MAX_WAITING) throw tooManyWaiting();
    opening.waiting += 1;
    try {
      const { clock } = this.#options;
      return await waitFor(opening.connection, { ...options, clock, onTimeout: () => this.#unreachable() });
    } finally {
      opening.waiting -= 1;
      if (opening.waiting === 0) this.#endOpening(opening);
    }
  }

  async unary(method: string, message: Uint8Array, options: CallOptions = {}): Promise<Uint8Array> {
    const started = this.#options.clock.monotonic();
    const connection = this.#current?.isUsable === true ? this.#current : await this.connection(options);
    if (options.timeoutMs === undefined) return connection.unary(method, message, options);
    const timeoutMs = options.timeoutMs - (this.#options.clock.monotonic() - started);
    return connection.unary(method, message, { ...options, timeoutMs });
  }

  /** A unary call with decoded messages. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options?: CallOptions,
  ): Promise<Response> {
    return method.response.decode(await this.unary(method.path, method.request.encode(request), options));
  }

  /** A streaming call; the time to connect does not count towards `timeoutMs`. */
  async duplex(method: string, options: CallOptions = {}): Promise<DuplexCall> {
    return (await this.connection(options)).duplex(method, options);
  }

  /**
   * Sends new calls to another endpoint, if there is one, because this one answers but cannot do its work. Calls in flight
   * may finish.
   */
  avoid(connection: Connection): void {
    if (this.#addresses.length === 1) return;
    if (this.#current === connection) this.#current = undefined;
    connection.retire();
  }

  /** Lets calls finish for a second, then cancels them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all(Array.from(this.#connections, (connection) => connection.close(CLOSE_GRACE_MS)));
  }

  #startOpening(): Opening {
    const giveUp = new AbortController();
    const connection = this.#openAny(AbortSignal.any([this.#closing.signal, giveUp.signal]));
    return { connection, giveUp, waiting: 0 };
  }

  /** Also called when no call waits any more, so that an unreachable endpoint is not retried forever. */
  #endOpening(opening: Opening): void {
    opening.giveUp.abort();
    if (this.#opening === opening) this.#opening = undefined;
  }

  async #openAny(signal: AbortSignal): Promise<Connection> {
    const backoff = new Backoff(this.#options.backoff ?? DEFAULT_BACKOFF, this.#options.random);
    for (;;) {
      for (let tried = 0; tried < this.#addresses.length; tried++) {
        const connection = await this.#openNext(signal);
        if (connection !== undefined) return (this.#current = connection);
        if (this.#closing.signal.aborted) throw closed();
        if (signal.aborted) throw this.#unreachable();
      }
      await this.#options.clock.sleep(backoff.nextMs(), signal);
    }
  }

  async #openNext(signal: AbortSignal): Promise<Connection | undefined> {
    const address = this.#addresses[this.#nextEndpoint] as Address;
    this.#nextEndpoint = (this.#nextEndpoint + 1) % this.#addresses.length;
    const { clock, keepaliveMs, keepaliveTimeoutMs } = this.#options;
    const timeoutMs = this.#options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    try {
      const tls = await currentCredentials(this.#options.tls);
      const session = await openSession(address, { tls, timeoutMs, clock, signal });
      const connection = new Connection(session, address, {
        clock,
        isSecure: address.isSecure ?? tls !== undefined,
        maxReceiveBytes: this.#options.maxReceiveBytes ?? DEFAULT_MAX_RECEIVE_BYTES,
        keepaliveMs,
        keepaliveTimeoutMs,
      });
      if (this.#closing.signal.aborted) {
        connection.destroy();
        return undefined;
      }
      this.#connections.add(connection);
      void connection.closed.then(() => this.#connections.delete(connection));
      return connection;
    } catch (error) {
      this.#lastFailure = error;
      this.#log.debug('endpoint not reached', { endpoint: address.authority, error });
      return undefined;
    }
  }

  #unreachable(): GrpcError {
    const cause = this.#lastFailure;
    const last = cause instanceof Error ? cause.message : 'no connection yet';
    const endpoints = this.#options.endpoints.join(', ');
    return new GrpcError('UNAVAILABLE', `No endpoint of ${endpoints} can be reached; last: ${last}`, {
      cause,
      isUnsent: true,
    });
  }
}

function tooManyWaiting(): GrpcError {
  const message = `${MAX_WAITING} calls wait for a connection already`;
  return new GrpcError('UNAVAILABLE', message, { isUnsent: true });
}

function closed(): GrpcError {
  return new GrpcError('UNAVAILABLE', 'The channel is closed', { isUnsent: true });
}

interface SessionOptions {
  readonly tls?: TlsCredentials;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** How much a server may send before it is read, for one call and for all calls of a connection. */
const CALL_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Connects; rejects with an UNAVAILABLE error that contains the reason. */
async function openSession(address: Address, options: SessionOptions): Promise<ClientHttp2Session> {
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
