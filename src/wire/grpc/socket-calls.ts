import { type Clock, type Logger, messageOf, type Random } from '../../base/index.ts';
import { Channel } from './channel.ts';
import { GrpcError } from './grpc-error.ts';
import type { Method } from './method.ts';

export interface SocketCallsOptions {
  /** Such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  /** The name of the server in messages: `the runtime`. */
  readonly server: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long a call may take by default; default 2m. */
  readonly timeoutMs?: number;
  /** Largest answer; default 16 MiB. */
  readonly maxMessageBytes?: number;
}

export interface SocketCallOptions {
  readonly signal?: AbortSignal;
  /** How long the call may take; Infinity for no limit. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
/** How long a call waits for a server that is away. */
const CONNECT_MS = 3000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const BACKOFF = { initialMs: 100, capMs: 3000, jitter: 0.2 };

/**
 * A server on the same machine needs no pings: the kernel closes the connections of a process that has died, and deadlines end calls of one
 * that hangs. Servers in Go, such as containerd, close connections that ping more often than every five minutes.
 */
const KEEPALIVE_MS = 24 * 60 * 60_000;

/** The server answered with bytes that are no message of the method. */
export class UnreadableAnswerError extends GrpcError {
  override readonly name = 'UnreadableAnswerError';

  constructor(message: string, options: ErrorOptions) {
    super('INTERNAL', message, options);
  }
}

/** Calls a gRPC server of this machine over its socket. A call fails within seconds while the server is away. Failures are GrpcErrors. */
export class SocketCalls implements AsyncDisposable {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a call may take by default. */
  readonly timeoutMs: number;
  readonly #channel: Channel;
  readonly #server: string;

  constructor({ endpoint, server, clock, random, log, timeoutMs, maxMessageBytes }: SocketCallsOptions) {
    this.#channel = new Channel({
      endpoints: [endpoint],
      clock,
      random,
      log,
      backoff: BACKOFF,
      maxReceiveBytes: maxMessageBytes ?? MAX_MESSAGE_BYTES,
      keepaliveMs: KEEPALIVE_MS,
    });
    this.#server = server;
    this.clock = clock;
    this.log = log;
    this.timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Connects where there is no connection yet; `closed` resolves when that one is lost. */
  async connect(signal: AbortSignal): Promise<{ readonly closed: Promise<void> }> {
    const { closed } = await this.#channel.connection({ timeoutMs: CONNECT_MS, signal });
    return { closed };
  }

  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { signal, timeoutMs = this.timeoutMs }: SocketCallOptions = {},
  ): Promise<Response> {
    const optional = signal === undefined ? {} : { signal };
    const connection = await this.#channel.connection({ timeoutMs: CONNECT_MS, ...optional });
    const answer = await connection.unary(method.path, method.request.encode(request), {
      ...(timeoutMs === Infinity ? {} : { timeoutMs }),
      ...optional,
    });
    return this.#decoded(method, answer);
  }

  /** The messages of a call that the server answers with a stream. */
  async *stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<Response> {
    const connection = await this.#channel.connection({ timeoutMs: CONNECT_MS, signal });
    using call = connection.duplex(method.path, { signal });
    await call.send(method.request.encode(request));
    call.end();
    for await (const message of call) yield this.#decoded(method, message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]();
  }

  /** The message of an answer; bytes that are none are the server's fault. */
  #decoded<Request, Response>(method: Method<Request, Response>, bytes: Uint8Array): Response {
    try {
      return method.response.decode(bytes);
    } catch (cause) {
      const name = method.path.slice(method.path.lastIndexOf('/') + 1);
      throw new UnreadableAnswerError(`${this.#server}'s answer to ${name} cannot be read: ${messageOf(cause)}`, {
        cause,
      });
    }
  }
}
