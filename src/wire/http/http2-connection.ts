import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { AbortScope, type Clock, messageOf, onAbort } from '../../base/index.ts';
import { type HttpExchange, type HttpRequest, sendBody } from './http-exchange.ts';
import { openHttp2 } from './http2-session.ts';
import { TransportError } from './transport-error.ts';

/** As in client-go: a connection that has received nothing for this time is pinged. */
const PING_AFTER_MS = 30_000;
const PING_TIMEOUT_MS = 15_000;
/** How long the server may take to send its SETTINGS. */
const GREETING_TIMEOUT_MS = 10_000;
/** As in Go's HTTP client: an idle connection is closed after this time. */
const CLOSE_IDLE_AFTER_MS = 90_000;
/** How much the server may send before a WINDOW_UPDATE; the default of 64 KiB makes large lists slow. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024;

export interface Http2Events {
  /** A stream has ended, so another one can be opened; or the connection accepts no more. */
  changed(): void;
}

/**
 * One HTTP/2 connection.
 *
 * It keeps the process alive only while a request is in flight. It is closed when pings are not answered, and after a
 * GOAWAY: requests that the server has processed continue, others fail as `refused`.
 */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #origin: string;
  readonly #clock: Clock;
  readonly #events: Http2Events;
  readonly #streams = new Set<ClientHttp2Stream>();
  #lastArrivalMs: number;
  #timer: Disposable | undefined;
  #isDraining = false;
  /** The number of responses that have begun. */
  #answers = 0;

  /** Takes a connected socket on which HTTP/2 was negotiated; resolves when the server's SETTINGS have arrived. */
  static async open(
    socket: Socket,
    options: { readonly origin: string; readonly clock: Clock; readonly events: Http2Events },
  ): Promise<Http2Connection> {
    const { origin, clock } = options;
    using scope = new AbortScope();
    using _timeUp = clock.timer(GREETING_TIMEOUT_MS, () =>
      scope.abort(new Error(`no greeting in ${GREETING_TIMEOUT_MS} ms`)),
    );
    const windows = { streamWindowBytes: STREAM_WINDOW_BYTES, sessionWindowBytes: SESSION_WINDOW_BYTES };
    const session = await openHttp2(socket, { origin, ...windows, signal: scope.signal });
    return new Http2Connection(session, options);
  }

  private constructor(
    session: ClientHttp2Session,
    options: { readonly origin: string; readonly clock: Clock; readonly events: Http2Events },
  ) {
    this.#session = session;
    this.#origin = options.origin;
    this.#clock = options.clock;
    this.#events = options.events;
    this.#lastArrivalMs = options.clock.monotonic();
    session.on('goaway', () => this.#leave());
    session.once('close', () => this.#closed());
    this.#becomeIdle();
  }

  /** Whether one more request fits. */
  get hasRoom(): boolean {
    const limit = this.#session.remoteSettings.maxConcurrentStreams ?? 100;
    return !this.isOver && this.#streams.size < limit;
  }

  /** No more requests are accepted; those in flight may finish. */
  get isOver(): boolean {
    return this.#isDraining || this.#session.closed || this.#session.destroyed;
  }

  /** Sends a request; resolves when the response head has arrived. Assumes `hasRoom`. */
  request(request: HttpRequest): Promise<HttpExchange> {
    const before = this.#answers;
    const stream = this.#session.request(
      { ...request.headers, ':method': request.method, ':path': request.path },
      { endStream: request.body === undefined },
    );
    this.#track(stream);
    if (request.body !== undefined) sendBody(stream, request.body);
    return new Promise((resolve, reject) => {
      let failure: Error | undefined;
      let isAnswered = false;
      const aborting = onAbort(request.signal, () => stream.close(constants.NGHTTP2_CANCEL));
      stream.on('error', (error: Error) => (failure = error));
      stream.once('response', (headers) => {
        this.#answers += 1;
        isAnswered = true;
        this.#noteArrival();
        const { ':status': status = 0, ...rest } = headers;
        resolve({ status, headers: rest, chunks: this.#chunks(stream, request.signal) });
      });
      stream.once('close', () => {
        aborting[Symbol.dispose]();
        if (isAnswered) return; // the reader of the response sees how it ended
        const wasKept = before > 0 && before === this.#answers && this.#session.closed;
        reject(request.signal.aborted ? request.signal.reason : this.#failure(stream, failure, wasKept));
      });
    });
  }

  /** Accepts no more requests and closes when those in flight have ended. */
  drain(): void {
    this.#isDraining = true;
    this.#session.close();
  }

  destroy(): void {
    this.#session.destroy(undefined, constants.NGHTTP2_CANCEL);
  }

  async *#chunks(stream: ClientHttp2Stream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let isOver = false;
    try {
      for await (const chunk of chunksOf(stream)) {
        this.#noteArrival();
        yield chunk;
      }
      isOver = true;
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#failure(stream, error);
    } finally {
      if (!isOver && !stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    }
    if (signal.aborted) throw signal.reason;
    // A stream that dies with its connection looks as if it had ended; only the code shows the difference.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw this.#failure(stream, undefined);
  }

  #failure(stream: ClientHttp2Stream, error: unknown, wasKept = false): TransportError {
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      return new TransportError('refused', `"${this.#origin}" did not take the request`, { cause: error });
    }
    const why = error === undefined ? 'the connection was closed' : messageOf(error);
    return new TransportError('cut', `Lost the connection to "${this.#origin}": ${why}`, { cause: error, wasKept });
  }

  #track(stream: ClientHttp2Stream): void {
    if (this.#streams.size === 0) this.#becomeBusy();
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#becomeIdle();
      this.#events.changed();
    });
  }

  /**
   * The server sent GOAWAY. Node resets the streams that the server has not begun, with REFUSED_STREAM. (Resetting them here
   * would end the process: Node 20 asserts when a stream is closed while it reads a GOAWAY.)
   */
  #leave(): void {
    this.#isDraining = true;
    this.#events.changed();
  }

  #noteArrival(): void {
    this.#lastArrivalMs = this.#clock.monotonic();
  }

  #becomeBusy(): void {
    if (this.#session.destroyed) return;
    this.#session.ref();
    this.#noteArrival();
    this.#setTimer(PING_AFTER_MS, () => this.#checkAlive());
  }

  #becomeIdle(): void {
    if (this.#session.destroyed) return;
    this.#session.unref();
    this.#setTimer(CLOSE_IDLE_AFTER_MS, () => this.drain());
  }

  #checkAlive(): void {
    const quietMs = this.#clock.monotonic() - this.#lastArrivalMs;
    if (quietMs < PING_AFTER_MS) {
      this.#setTimer(PING_AFTER_MS - quietMs, () => this.#checkAlive());
      return;
    }
    this.#setTimer(PING_TIMEOUT_MS, () => this.#session.destroy(new Error('it does not answer pings')));
    if (this.#session.destroyed) return;
    this.#session.ping((error) => {
      if (error !== null || this.#session.destroyed || this.#streams.size === 0) return;
      this.#noteArrival();
      this.#setTimer(PING_AFTER_MS, () => this.#checkAlive());
    });
  }

  #setTimer(ms: number, act: () => void): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.timer(ms, act);
  }

  #closed(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#events.changed();
  }
}

const EVENTS = ['readable', 'end', 'close', 'error'] as const;

/**
 * The chunks of a stream, read with backpressure.
 *
 * Ends when the stream ends; throws when the stream fails or closes before its end. A stream's built-in iterator does the
 * same, but creating one costs as much as the rest of a small response.
 */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  let wakeUp = (): void => undefined;
  const changed = (): void => wakeUp();
  for (const event of EVENTS) stream.on(event, changed);
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : (stream.read() as Buffer | null);
      if (chunk !== null) yield chunk;
      else if (stream.errored !== null) throw stream.errored;
      else if (stream.readableEnded) return;
      else if (stream.destroyed) throw new Error('Premature close');
      else await new Promise<void>((resolve) => (wakeUp = resolve));
    }
  } finally {
    for (const event of EVENTS) stream.off(event, changed);
  }
}
