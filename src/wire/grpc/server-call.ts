import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { AbortScope, type Clock } from '../../base/index.ts';
import { drained } from '../connections/index.ts';
import { Deframer, frame } from './framing.ts';
import { GrpcError, STATUS_NAMES } from './grpc-error.ts';
import { encodeMessage, fromHeaders, type Metadata, parseTimeout, toHeaders } from './metadata.ts';

/** How long a client may continue to send after its answer. */
const LINGER_MS = 500;

const HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** One call as its handler sees it. */
export class ServerCall {
  readonly metadata: Metadata;
  /** Aborts when the client cancels or disconnects, its deadline passes, or the server stops. */
  readonly signal: AbortSignal;
  readonly #stream: ServerHttp2Stream;
  readonly #clock: Clock;
  readonly #scope = new AbortScope();
  readonly #deadline: Disposable | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    this.metadata = fromHeaders(headers);
    this.signal = this.#scope.signal;
    stream.on('error', () => undefined); // 'close' follows
    stream.once('close', () => {
      this.#deadline?.[Symbol.dispose]();
      this.#scope.abort(new GrpcError('CANCELLED', 'The client cancelled the call'));
    });
    const timeoutMs = parseTimeout(String(headers['grpc-timeout'] ?? ''));
    if (timeoutMs !== undefined) {
      this.#deadline = clock.timer(timeoutMs, () => {
        const late = new GrpcError('DEADLINE_EXCEEDED', `No answer within ${timeoutMs} ms`);
        this.#scope.abort(late);
        this.finish(late);
      });
    }
  }

  /** The client's messages, read with backpressure; ends when the client has sent all. */
  async *messages(maxBytes: number): AsyncGenerator<Uint8Array> {
    const deframer = new Deframer(maxBytes);
    const complete: Uint8Array[] = [];
    // leaving the loop early must not end the stream, which still carries the answer
    for await (const piece of this.#stream.iterator({ destroyOnReturn: false })) {
      deframer.push(piece as Buffer, (message) => complete.push(message));
      yield* complete;
      complete.length = 0;
    }
    this.signal.throwIfAborted();
    if (deframer.isInside) throw new GrpcError('INTERNAL', 'The client ended the call within a message');
  }

  /** Sends a message; resolves when more may be sent. */
  async send(message: Uint8Array): Promise<void> {
    const stream = this.#stream;
    this.signal.throwIfAborted();
    if (!stream.headersSent) stream.respond(HEADERS, { waitForTrailers: true });
    if (!stream.write(frame(message))) await drained(stream);
  }

  /** Ends the call with OK or with an error. If no message was sent before, everything goes into the headers. */
  finish(failure?: GrpcError): void {
    const stream = this.#stream;
    if (stream.closed || stream.destroyed || stream.writableEnded) return;
    const trailers = {
      'grpc-status': String(failure === undefined ? 0 : STATUS_NAMES.indexOf(failure.code)),
      ...(failure === undefined
        ? {}
        : { 'grpc-message': encodeMessage(failure.message), ...toHeaders(failure.metadata) }),
    };
    if (stream.headersSent) {
      stream.once('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end();
    } else {
      stream.respond({ ...HEADERS, ...trailers }, { endStream: true });
    }
    if (stream.readableEnded) return;
    stream.resume(); // discards the rest of the request; after LINGER_MS the stream is reset (RFC 9113, 8.1)
    const timer = this.#clock.timer(LINGER_MS, () => stream.close(constants.NGHTTP2_NO_ERROR));
    stream.once('close', () => timer[Symbol.dispose]());
  }
}
