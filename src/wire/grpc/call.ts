import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import type { Clock } from '../../base/index.ts';
import { brokenOff, connectionLost, failureIn, notGrpc } from './call-status.ts';
import { GrpcError } from './grpc-error.ts';
import { formatTimeout, type Metadata, toHeaders } from './metadata.ts';

export interface CallOptions {
  readonly metadata?: Metadata;
  /** The call fails with DEADLINE_EXCEEDED after this time; absent: it may take for ever. */
  readonly timeoutMs?: number;
  /** When it aborts, the call is cancelled and fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Larger messages fail the call with RESOURCE_EXHAUSTED. */
  readonly maxReceiveBytes?: number;
}

/** What a call is made on. */
export interface CallTarget {
  readonly session: ClientHttp2Session;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string>>;
  callBegan(): void;
  callEnded(): void;
}

/** One HTTP/2 stream that carries a gRPC call, and how it ended. Unary and streaming calls are both built on it. */
export class Call {
  readonly stream: ClientHttp2Stream;
  readonly #session: ClientHttp2Session;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Disposable | undefined;
  #answer: IncomingHttpHeaders | undefined;
  #trailers: IncomingHttpHeaders | undefined;
  /** Why it was ended from this side. */
  #ownReason: { readonly error: unknown } | undefined;
  #streamError: unknown;

  constructor(method: string, options: CallOptions, target: CallTarget) {
    this.#session = target.session;
    this.#signal = options.signal;
    this.stream = openStream(method, options, target);
    this.stream.on('response', (headers) => {
      this.#answer = headers;
      if (headers['grpc-status'] === undefined) this.#refuseForeign(headers);
    });
    this.stream.on('trailers', (headers) => (this.#trailers = headers));
    this.stream.on('error', (error) => (this.#streamError = error));
    this.stream.on('close', () => {
      this.#stopWaiting();
      target.callEnded();
    });
    target.callBegan();
    if (options.signal?.aborted === true) this.#abort();
    else options.signal?.addEventListener('abort', this.#abort, { once: true });
    if (options.timeoutMs !== undefined) {
      this.#timer = target.clock.timer(options.timeoutMs, () => {
        this.cancel(new GrpcError('DEADLINE_EXCEEDED', `No answer within ${Math.round(options.timeoutMs ?? 0)} ms`));
      });
    }
  }

  /** Whether the server has said how the call ended. */
  get hasStatus(): boolean {
    return this.#trailers !== undefined || this.#answer?.['grpc-status'] !== undefined;
  }

  /** Ends the call from this side, for a reason that becomes its failure. */
  cancel(reason: unknown): void {
    if (this.#ownReason !== undefined || this.stream.destroyed) return;
    this.#ownReason = { error: reason };
    this.stream.close(constants.NGHTTP2_CANCEL);
    this.stream.destroy(); // closing alone waits for what is still to be written
  }

  /** Why the call failed; `undefined` when it ended with OK. To be asked once the stream has ended or closed. */
  failure(): unknown {
    if (this.#ownReason !== undefined) return this.#ownReason.error;
    if (this.#trailers !== undefined) return failureIn(this.#trailers);
    if (this.#answer?.['grpc-status'] !== undefined) return failureIn(this.#answer);
    const resetCode = this.stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
    const isRefused = resetCode === constants.NGHTTP2_REFUSED_STREAM;
    return this.#session.destroyed && !isRefused
      ? connectionLost(this.#streamError)
      : brokenOff(resetCode, this.#streamError);
  }

  readonly #abort = (): void => this.cancel(this.#signal?.reason);

  #refuseForeign(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    const foreign = notGrpc(headers);
    if (foreign !== undefined) this.cancel(foreign);
  }

  #stopWaiting(): void {
    this.#timer?.[Symbol.dispose]();
    this.#signal?.removeEventListener('abort', this.#abort);
  }
}

function openStream(method: string, options: CallOptions, target: CallTarget): ClientHttp2Stream {
  const headers: Record<string, string> = { ...target.headers, ':path': method };
  if (options.timeoutMs !== undefined) headers['grpc-timeout'] = formatTimeout(options.timeoutMs);
  if (options.metadata !== undefined) Object.assign(headers, toHeaders(options.metadata));
  try {
    return target.session.request(headers);
  } catch (cause) {
    throw new GrpcError('UNAVAILABLE', 'The connection is closed', { isUnsent: true, cause });
  }
}
