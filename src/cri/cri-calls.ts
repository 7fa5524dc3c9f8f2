import { type Clock, type Logger, messageOf, type Random } from '../base/index.ts';
import { type CallOptions, RuntimeError, type RuntimeErrorReason } from '../node/index.ts';
import { Channel, GrpcError, type Method, type StatusName } from '../wire/grpc/index.ts';

export interface CriCallsOptions {
  /** Such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long a call may take by default; default 2m, as the kubelet's `runtimeRequestTimeout`. */
  readonly requestTimeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
/** How long a call waits for a runtime that is away. */
const CONNECT_MS = 3000;
/** A node may have thousands of containers, and a list has them all. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * A runtime on the same machine needs no pings: the kernel closes the connections of a process that has died, and deadlines end calls of one
 * that hangs. Servers in Go, such as containerd, close connections that ping more often than every five minutes.
 */
const KEEPALIVE_MS = 24 * 60 * 60_000;

const REASONS: Partial<Readonly<Record<StatusName, RuntimeErrorReason>>> = {
  NOT_FOUND: 'NotFound',
  INVALID_ARGUMENT: 'Invalid',
  UNAVAILABLE: 'Unavailable',
  DEADLINE_EXCEEDED: 'DeadlineExceeded',
  UNIMPLEMENTED: 'Unimplemented',
};

/** How long a call may take. */
export interface CriCallOptions extends CallOptions {
  readonly extraMs?: number;
  readonly maxMs?: number;
}

/** Calls a container runtime over its socket. A call fails within seconds while the runtime is away; failures are RuntimeErrors. */
export class CriCalls implements AsyncDisposable {
  readonly clock: Clock;
  readonly log: Logger;
  readonly #channel: Channel;
  /** How long a call may take by default. */
  readonly timeoutMs: number;

  constructor({ endpoint, clock, random, log, requestTimeoutMs = DEFAULT_TIMEOUT_MS }: CriCallsOptions) {
    const backoff = { initialMs: 100, capMs: 3000, jitter: 0.2 };
    this.#channel = new Channel({
      endpoints: [endpoint],
      clock,
      random,
      log,
      backoff,
      maxReceiveBytes: MAX_MESSAGE_BYTES,
      keepaliveMs: KEEPALIVE_MS,
    });
    this.clock = clock;
    this.log = log;
    this.timeoutMs = requestTimeoutMs;
  }

  /** `extraMs` is added to the time limit, and Infinity removes it; `maxMs` is the limit for a call that must not take that long. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { signal, extraMs = 0, maxMs = Infinity }: CriCallOptions = {},
  ): Promise<Response> {
    try {
      const connection = await this.#channel.connection({
        timeoutMs: CONNECT_MS,
        ...(signal === undefined ? {} : { signal }),
      });
      const answer = await connection.unary(method.path, method.request.encode(request), {
        ...(extraMs === Infinity ? {} : { timeoutMs: Math.min(this.timeoutMs + extraMs, maxMs) }),
        ...(signal === undefined ? {} : { signal }),
      });
      return decoded(method, answer);
    } catch (error) {
      throw asRuntimeError(error);
    }
  }

  /** The messages of a call that the server answers with a stream. */
  async *stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<Response> {
    try {
      const connection = await this.#channel.connection({ timeoutMs: CONNECT_MS, signal });
      using call = connection.duplex(method.path, { signal });
      await call.send(method.request.encode(request));
      call.end();
      for await (const message of call) yield decoded(method, message);
    } catch (error) {
      throw asRuntimeError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]();
  }
}

/** The message of an answer; bytes that are none are the runtime's fault. */
function decoded<Request, Response>(method: Method<Request, Response>, bytes: Uint8Array): Response {
  try {
    return method.response.decode(bytes);
  } catch (cause) {
    const name = method.path.slice(method.path.lastIndexOf('/') + 1);
    throw new RuntimeError('Failed', `the runtime's answer to ${name} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function asRuntimeError(error: unknown): unknown {
  if (!(error instanceof GrpcError)) return error;
  const message = `rpc error: code = ${goName(error.code)} desc = ${error.message}`;
  return new RuntimeError(REASONS[error.code] ?? 'Failed', message, { cause: error });
}

/** As Go's gRPC spells the code in its errors, which events and statuses of pods show: `NotFound`. */
function goName(code: StatusName): string {
  if (code === 'OK') return code;
  return code
    .split('_')
    .map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`)
    .join('');
}
