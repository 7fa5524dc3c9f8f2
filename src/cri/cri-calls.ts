import type { Clock, Logger, Random } from '../base/index.ts';
import { type CallOptions, RuntimeError, type RuntimeErrorReason } from '../node/index.ts';
import {
  goErrorText,
  GrpcError,
  type Method,
  SocketCalls,
  type StatusName,
  UnreadableAnswerError,
} from '../wire/grpc/index.ts';

export interface CriCallsOptions {
  /** Such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long a call may take by default; default 2m, as the kubelet's `runtimeRequestTimeout`. */
  readonly requestTimeoutMs?: number;
}

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
  readonly #calls: SocketCalls;

  constructor({ requestTimeoutMs, ...options }: CriCallsOptions) {
    const timeoutMs = requestTimeoutMs === undefined ? {} : { timeoutMs: requestTimeoutMs };
    this.#calls = new SocketCalls({ ...options, ...timeoutMs, server: 'the runtime' });
    this.clock = options.clock;
    this.log = options.log;
  }

  /** How long a call may take by default. */
  get timeoutMs(): number {
    return this.#calls.timeoutMs;
  }

  /** `extraMs` is added to the time limit, and Infinity removes it; `maxMs` is the limit for a call that must not take that long. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { signal, extraMs = 0, maxMs = Infinity }: CriCallOptions = {},
  ): Promise<Response> {
    try {
      const timeoutMs = extraMs === Infinity ? Infinity : Math.min(this.timeoutMs + extraMs, maxMs);
      return await this.#calls.call(method, request, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
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
      yield* this.#calls.stream(method, request, signal);
    } catch (error) {
      throw asRuntimeError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }
}

function asRuntimeError(error: unknown): unknown {
  if (!(error instanceof GrpcError)) return error;
  if (error instanceof UnreadableAnswerError) return new RuntimeError('Failed', error.message, { cause: error.cause });
  return new RuntimeError(REASONS[error.code] ?? 'Failed', goErrorText(error), { cause: error });
}
