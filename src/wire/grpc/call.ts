import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Clock } from '../../base/index.ts';
import { GrpcError, STATUS_NAMES, type StatusName } from './grpc-error.ts';
import { decodeMessage, formatTimeout, fromHeaders, type Metadata, toHeaders } from './metadata.ts';

export interface CallOptions {
  readonly metadata?: Metadata;
  /** The call fails with DEADLINE_EXCEEDED after this time; default: no limit. */
  readonly timeoutMs?: number;
  /** When it aborts, the call is cancelled and fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Larger messages fail the call with RESOURCE_EXHAUSTED. */
  readonly maxReceiveBytes?: number;
}

/** The connection and method of a call. */
export interface CallTarget {
  readonly session: ClientHttp2Session;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string>>;
  callBegan(): void;
  callEnded(): void;
}

/** One HTTP/2 stream that carries a gRPC call, and its outcome. Unary and streaming calls are both built on it. */
export class Call {
  readonly stream: ClientHttp2Stream;
  readonly #session: ClientHttp2Session;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Disposable | undefined;
  #answer: IncomingHttpHeaders | undefined;
  #trailers: IncomingHttpHeaders | undefined;
  /** The reason of a cancellation by this side. */
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

  /** Whether the server has sent the call's status. */
  get hasStatus(): boolean {
    return this.#trailers !== undefined || this.#answer?.['grpc-status'] !== undefined;
  }

  /** Cancels the call; it fails with this reason. */
  cancel(reason: unknown): void {
    if (this.#ownReason !== undefined || this.stream.destroyed) return;
    this.#ownReason = { error: reason };
    this.stream.close(constants.NGHTTP2_CANCEL);
    this.stream.destroy(); // close() alone would wait for pending writes
  }

  /** The error of the call; `undefined` when it ended with OK. Only valid once the stream has ended or closed. */
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

const GRPC_CONTENT = 'application/grpc';

/** The error in a server's headers or trailers; `undefined` for OK. */
function failureIn(headers: IncomingHttpHeaders): GrpcError | undefined {
  const number = Number(headers['grpc-status']);
  if (number === 0) return undefined;
  const code = STATUS_NAMES[number] ?? 'UNKNOWN';
  const message = headers['grpc-message'];
  const text = typeof message === 'string' && message !== '' ? decodeMessage(message) : `The server answered ${code}`;
  return new GrpcError(code, text, { metadata: fromHeaders(headers) });
}

/** The error for a server, or something in between, that answers in plain HTTP. */
function notGrpc(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): GrpcError | undefined {
  const status = headers[':status'] ?? 0;
  const contentType = headers['content-type'] ?? '';
  if (status === 200 && contentType.startsWith(GRPC_CONTENT)) return undefined;
  const what = `HTTP status ${status}, content type ${JSON.stringify(contentType)}`;
  return new GrpcError(codeOfHttp(status), `The server did not answer as a gRPC server does: ${what}`);
}

/** The table "HTTP to gRPC Status Code Mapping" of gRPC. */
function codeOfHttp(status: number): StatusName {
  switch (status) {
    case 400:
      return 'INTERNAL';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'UNIMPLEMENTED';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE';
    default:
      return 'UNKNOWN';
  }
}

/** The error of a stream that ended with its connection. */
function connectionLost(cause: unknown): GrpcError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new GrpcError('UNAVAILABLE', `The connection was lost${reason}`, { cause });
}

/** The error of a stream that the server reset, or ended without a status. */
function brokenOff(resetCode: number, cause: unknown): GrpcError {
  switch (resetCode) {
    case constants.NGHTTP2_REFUSED_STREAM:
      return new GrpcError('UNAVAILABLE', 'The server refused the call', { isUnsent: true, cause });
    case constants.NGHTTP2_CANCEL:
      return new GrpcError('CANCELLED', 'The server cancelled the call', { cause });
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
      return new GrpcError('RESOURCE_EXHAUSTED', 'The server asks for fewer calls', { cause });
    case constants.NGHTTP2_INADEQUATE_SECURITY:
      return new GrpcError('PERMISSION_DENIED', 'The connection is not secure enough for the server', { cause });
    case constants.NGHTTP2_NO_ERROR:
      return new GrpcError('UNAVAILABLE', 'The server ended the call without a status', { cause });
    default:
      return new GrpcError('INTERNAL', `The server reset the call with HTTP/2 error ${resetCode}`, { cause });
  }
}
