import { Backoff, type Clock, type Duration, type Logger, millisecondsOf, type Random } from '../../base/index.ts';
import {
  Channel,
  type Connection,
  GrpcError,
  isGrpcError,
  type Metadata,
  type Method,
  type TlsSource,
  type WaitOptions,
} from '../../wire/grpc/index.ts';
import { mayRepeat } from './etcd-errors.ts';

export interface EtcdClientOptions {
  /** The members of one etcd cluster: `https://host:2379`. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** Time limit of one request, including waiting for a connection and retries; default 10 s. */
  readonly requestTimeout?: Duration;
  /** Max size of an answer; default 64 MiB. Long ranges are read in pages, so this does not limit them. */
  readonly maxReceiveBytes?: number;
}

export interface EtcdCallOptions {
  readonly signal?: AbortSignal;
  /** The call is harmless when it arrives twice. */
  readonly isRepeatable: boolean;
  /** Replaces `requestTimeout`. */
  readonly timeoutMs?: number;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_RECEIVE_BYTES = 64 * 1024 * 1024;
const RECONNECT = { initialMs: 50, capMs: 1000, jitter: 0.2 };
const RETRY = { initialMs: 25, capMs: 1000, jitter: 0.2 };
/** Makes a member that has lost its cluster fail at once instead of letting the request wait. */
const REQUIRE_LEADER: Metadata = { hasleader: 'true' };

/** Calls an etcd cluster, each call at any member that answers. */
export class EtcdClient implements AsyncDisposable {
  readonly #options: EtcdClientOptions;
  readonly #channel: Channel;

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    this.#channel = new Channel({
      endpoints: options.endpoints,
      tls: options.tls,
      clock: options.clock,
      random: options.random,
      log: options.log,
      maxReceiveBytes: options.maxReceiveBytes ?? DEFAULT_MAX_RECEIVE_BYTES,
      backoff: RECONNECT,
    });
  }

  get metadata(): Metadata {
    return REQUIRE_LEADER;
  }

  /** For streaming calls, which must handle its loss themselves. */
  connection(options?: WaitOptions): Promise<Connection> {
    return this.#channel.connection(options);
  }

  /** See `Channel.avoid`. */
  avoid(connection: Connection): void {
    this.#channel.avoid(connection);
  }

  /** Rejects with a `GrpcError`, or with the signal's reason. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: EtcdCallOptions,
  ): Promise<Response> {
    const { clock, random } = this.#options;
    const message = method.request.encode(request);
    const { requestTimeout = DEFAULT_REQUEST_TIMEOUT_MS } = this.#options;
    const deadlineMs = clock.monotonic() + (options.timeoutMs ?? millisecondsOf(requestTimeout));
    let backoff: Backoff | undefined;
    for (;;) {
      const { signal } = options;
      const timeoutMs = deadlineMs - clock.monotonic();
      const connection = await this.#channel.connection({ signal, timeoutMs });
      try {
        const left = { signal, timeoutMs: deadlineMs - clock.monotonic(), metadata: REQUIRE_LEADER };
        return method.response.decode(await connection.unary(method.path, message, left));
      } catch (error) {
        if (isGrpcError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED')) this.#channel.avoid(connection);
        if (!mayRepeat(error, options.isRepeatable)) throw error;
        backoff ??= new Backoff(RETRY, random);
        const waitMs = backoff.nextMs();
        if (clock.monotonic() + waitMs >= deadlineMs) throw error;
        await clock.sleep(waitMs, signal);
        signal?.throwIfAborted();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]();
  }
}

/** An error that names what is missing from an answer; no etcd server sends such an answer. */
export function missingFromAnswer(what: string): GrpcError {
  return new GrpcError('INTERNAL', `The server's answer has no ${what}`);
}
