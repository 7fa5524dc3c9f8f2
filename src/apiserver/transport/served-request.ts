import { Buffer } from 'node:buffer';
import { StatusError } from '../../api/index.ts';
import type { Clock, Logger, Turns, UidSource } from '../../base/index.ts';
import type { EncodedAnswer, TakeOver } from '../answers/answer.ts';
import { ANONYMOUS } from '../request/principal.ts';
import type { CallWire } from '../request/call.ts';
import type { SentAnswer } from '../request/request-record.ts';
import { isLongRunning } from '../stages/limit-concurrency.ts';
import { discard, isPieces, lengthOf } from './answer-body.ts';
import type { HeadWriter } from './answer-head.ts';
import type { Connection } from './connection.ts';
import type { Exchange, Head } from './exchange.ts';
import { GZIP_ABOVE_BYTES, GZIP_HELD_BYTES, gzipped } from './gzip-body.ts';
import { LazyCall } from './lazy-call.ts';
import { requestedTimeoutMs } from './requested-timeout.ts';
import type { TransportLimits } from './limits.ts';
import type { TransportObserver } from './observer.ts';
import type { PendingAnswer, PendingAnswers } from './pending-answers.ts';
import type { RequestHandler } from './request-handler.ts';
import { StreamedBody } from './streamed-body.ts';
import { Tunnel } from './tunnel.ts';

/** The dependencies of every request that is served. */
export interface RequestServices {
  readonly handler: RequestHandler;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly heads: HeadWriter;
  readonly turns: Turns;
  readonly limits: TransportLimits;
  readonly observer: TransportObserver;
  /** Whether large answers are compressed for clients that accept gzip. */
  readonly compress: boolean;
}

/** Tracks the requests in progress. */
export interface RequestTracker {
  readonly services: RequestServices;
  /** Counts unread bytes. */
  readonly pending: PendingAnswers;
  requestOver(request: ServedRequest): void;
  /** Called when the request has taken over its connection: it no longer has a deadline. */
  tookOver(request: ServedRequest): void;
}

/** One request from its arrival to the last byte of its answer. */
export class ServedRequest implements PendingAnswer, CallWire {
  readonly call: LazyCall;
  readonly isLongRunning: boolean;
  /** In monotonic time. */
  readonly startedAtMs: number;
  readonly #exchange: Exchange;
  readonly #tracker: RequestTracker;
  readonly #onReset: (() => void) | undefined;
  #phase: 'handling' | 'answering' | 'over' = 'handling';
  /** Separate from the phase: a handler may not have noticed that its request has ended. */
  #isHandlerDone = false;
  /** Whether the server aborted the answer, not the client. */
  #isOurEnd = false;
  #code = 0;
  /** The size of an answer that was sent whole; undefined while there is none. */
  #bytes: number | undefined;
  #stream: StreamedBody | undefined;
  #tunnel: Tunnel | undefined;
  #timer: Disposable | undefined;
  #pendingBytes = 0;
  #waitsSinceMs = 0;

  constructor(exchange: Exchange, tracker: RequestTracker, onReset: (() => void) | undefined) {
    const { clock } = tracker.services;
    this.#exchange = exchange;
    this.#tracker = tracker;
    this.#onReset = onReset;
    this.startedAtMs = clock.monotonic();
    this.call = new LazyCall(exchange, clock.now(), tracker.services.uids);
    this.call.wire = this;
    this.isLongRunning = isLongRunning(this.call.info);
    exchange.connection.requestStarted();
    exchange.onClose((isFlushed) => this.#close(isFlushed));
  }

  get connection(): Connection {
    return this.#exchange.connection;
  }

  get payer(): string {
    const { user, remoteAddress } = this.call;
    return user.name === ANONYMOUS.name ? `address ${remoteAddress}` : `user ${user.name}`;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get waitsSinceMs(): number {
    return this.#waitsSinceMs;
  }

  /** Aborts the answer, because the client does not read it. */
  drop(): void {
    this.#tracker.services.observer.stalled(this.call);
    this.cut('The client does not read its answer');
  }

  /** Never throws. A synchronous answer is sent synchronously. */
  run(): void {
    const { handler } = this.#tracker.services;
    const { call } = this;
    try {
      if (!this.isLongRunning && call.queryText !== '') this.#startOwnTimer();
      const answer = handler.handle(call);
      if (answer instanceof Promise) void this.#handledLater(answer);
      else this.#handled(answer);
    } catch (error) {
      this.#handled(this.#answerToFailure(error));
    }
  }

  async #handledLater(answering: Promise<EncodedAnswer>): Promise<void> {
    let answer: EncodedAnswer;
    try {
      answer = await answering;
    } catch (error) {
      answer = this.#answerToFailure(error);
    }
    this.#handled(answer);
  }

  #handled(answer: EncodedAnswer): void {
    this.#isHandlerDone = true;
    if (this.#phase === 'over') this.#exchange.connection.requestEnded();
    if (this.#phase !== 'handling') {
      discard(answer.body);
      return;
    }
    try {
      this.#answer(answer)?.catch((error: unknown) => this.#brokeOff(error));
    } catch (error) {
      this.#brokeOff(error);
    }
  }

  #brokeOff(error: unknown): void {
    const { method, path } = this.call;
    this.#tracker.services.log.error('answer broke off', { method, path, error });
    this.cut('The answer broke off');
  }

  /** The deadline has passed: answers, or aborts an answer that has begun. */
  expire(): void {
    if (this.#phase === 'over') return;
    this.#tracker.services.observer.timedOut(this.call);
    this.call.abort('The request deadline passed');
    if (this.#phase === 'handling') this.#sendWhole(TIMEOUT_ANSWER, TIMEOUT_ANSWER.body);
    else this.cut('The request deadline passed');
  }

  /** Ends a stream as if its source had ended, as a stopping server does with watches. */
  endStream(): void {
    this.call.abort('The server stops');
    this.#stream?.end();
  }

  stopWork(): void {
    this.call.abort('The work is to stop');
  }

  cut(why: string): void {
    this.#isOurEnd = true;
    this.call.abort(why);
    this.#exchange.cut();
  }

  #answerToFailure(error: unknown): EncodedAnswer {
    const { handler, log } = this.#tracker.services;
    const { call } = this;
    if (!(error instanceof StatusError)) {
      log.error('request handler failed', { method: call.method, path: call.path, error });
      return BROKEN_ANSWER;
    }
    try {
      return handler.encode({ type: 'status', status: error.status }, call);
    } catch (cause) {
      log.error('cannot encode a Status', { path: call.path, error: cause });
      return BROKEN_ANSWER;
    }
  }

  #startOwnTimer(): void {
    const { clock, limits } = this.#tracker.services;
    const ms = requestedTimeoutMs(this.call);
    if (ms !== undefined && ms < limits.requestTimeoutMs) this.#timer = clock.timer(ms, () => this.expire());
  }

  #answer(answer: EncodedAnswer): Promise<void> | undefined {
    const { body, code } = answer;
    if (answer.takeOver !== undefined) return this.#takeOver(answer, answer.takeOver);
    if (this.call.method === 'HEAD' || code === 204 || code === 304) {
      this.#sendHead(answer);
      return undefined;
    }
    if (body instanceof Uint8Array && body.length <= GZIP_ABOVE_BYTES) {
      this.#sendWhole(answer, body);
      return undefined;
    }
    const packed = this.#tracker.services.compress ? gzipped(answer, this.#exchange) : answer;
    const pieces = packed.body instanceof Uint8Array ? [packed.body] : packed.body;
    return this.#sendStreamed(packed, pieces, packed === answer ? 0 : GZIP_HELD_BYTES);
  }

  #sendHead(answer: EncodedAnswer): void {
    const length = this.call.method === 'HEAD' ? lengthOf(answer.body) : undefined;
    this.#begin(answer.code);
    this.#bytes = 0;
    this.#exchange.send(this.#head(answer, length), undefined);
    discard(answer.body);
  }

  #sendWhole(answer: EncodedAnswer, body: Uint8Array): void {
    this.#begin(answer.code);
    this.#bytes = body.length;
    this.#waitFor(body.length);
    this.#exchange.send(this.#head(answer, body.length), body);
  }

  /** `held` is the memory for sending the answer, besides unread bytes. */
  async #sendStreamed(
    answer: EncodedAnswer,
    body: Exclude<EncodedAnswer['body'], Uint8Array>,
    held: number,
  ): Promise<void> {
    const { clock, limits, turns } = this.#tracker.services;
    this.#begin(answer.code);
    this.#exchange.start(this.#head(answer, lengthOf(body)));
    this.#stream = new StreamedBody(this.#exchange.output, {
      clock,
      turns,
      maxBufferedBytes: limits.maxBufferedBytes,
      stallTimeoutMs: limits.stallTimeoutMs,
      onWait: (bytes) => this.#waitFor(bytes === 0 ? 0 : held + bytes),
      onStall: () => this.drop(),
    });
    await (isPieces(body) ? this.#stream.sendPieces(body) : this.#stream.sendFrom(body));
  }

  /** Records that the client has this many unread bytes. */
  #waitFor(bytes: number): void {
    const change = bytes - this.#pendingBytes;
    this.#pendingBytes = bytes;
    if (bytes > 0) this.#waitsSinceMs = this.#tracker.services.clock.monotonic();
    if (change !== 0) this.#tracker.pending.count(this.#exchange.connection, change);
  }

  async #takeOver(answer: EncodedAnswer, takeOver: TakeOver): Promise<void> {
    const { clock, limits } = this.#tracker.services;
    this.#begin(answer.code);
    this.#timer?.[Symbol.dispose]();
    this.#tracker.tookOver(this);
    this.#tunnel = new Tunnel(this.#exchange.takeOver(this.#head(answer, undefined)), {
      clock,
      idleTimeoutMs: limits.upgradeIdleTimeoutMs,
      onIdle: () => this.cut('Nothing was sent for long'),
    });
    await this.#tunnel.run(takeOver);
  }

  #begin(code: number): void {
    this.#phase = 'answering';
    this.#code = code;
  }

  #head(answer: EncodedAnswer, length: number | undefined): Head {
    return this.#tracker.services.heads.head(this.call, answer, length);
  }

  /** Called when nothing more can be sent. */
  #close(isFlushed: boolean): void {
    const isEnded = this.#bytes !== undefined || this.#stream?.isEnded === true || this.#tunnel?.isEnded === true;
    const isComplete = isFlushed && isEnded;
    this.#waitFor(0);
    this.#phase = 'over';
    this.#timer?.[Symbol.dispose]();
    if (!isComplete) this.call.abort('The client went away');
    this.#stream?.leave();
    if (this.#isHandlerDone) this.#exchange.connection.requestEnded();
    this.#tracker.requestOver(this);
    const bytes = this.#stream?.bytes ?? this.#tunnel?.bytes ?? this.#bytes ?? 0;
    const sent: SentAnswer = { code: this.#code, bytes, outcome: isComplete ? 'complete' : 'cut' };
    this.call.finish(sent);
    this.#tracker.services.observer.answered(this.call, sent);
    if (!isComplete && !this.#isOurEnd) this.#onReset?.();
  }
}

// The answers of upstream's outermost handlers, which do not follow the client's Accept header.

const TEXT = 'text/plain; charset=utf-8';

const TIMEOUT_STATUS = {
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

/** The deadline passed. Upstream sends this Status without its kind, as plain text. */
const TIMEOUT_ANSWER = {
  code: 504,
  headers: { 'content-type': TEXT },
  body: Buffer.from(`${JSON.stringify(TIMEOUT_STATUS)}\n`),
};

/** The handler threw, which it must not. */
const BROKEN_ANSWER = {
  code: 500,
  headers: { 'content-type': TEXT, 'x-content-type-options': 'nosniff' },
  body: Buffer.from('This request caused apiserver to panic. Look in the logs for details.\n'),
};
