import type { Exchange } from './exchange.ts';
import { PendingAnswers } from './pending-answers.ts';
import { type RequestServices, type RequestTracker, ServedRequest } from './served-request.ts';

/** A client that has read nothing for this time no longer counts as a request in progress. */
const UNREAD_MS = 100;

/** From this number of requests on, it is checked whether their clients read. */
const MIN_SWEPT_REQUESTS = 50;

/** Serves requests of both protocols; tracks those in progress, and their deadlines. */
export class RequestServer implements RequestTracker {
  readonly services: RequestServices;
  readonly pending: PendingAnswers;
  readonly #streams = new Set<ServedRequest>();
  /** All have the same timeout: the first to arrive is the first to expire. */
  readonly #short = new Set<ServedRequest>();
  #isTimerSet = false;
  #isSweepSet = false;

  constructor(services: RequestServices) {
    this.services = services;
    this.pending = new PendingAnswers(services.clock, services.limits, () => this.#underWay());
  }

  *#underWay(): Generator<ServedRequest> {
    yield* this.#streams;
    yield* this.#short;
  }

  /** Serves one request. Calls `onReset` when the client does not wait for the end of its answer. */
  serve(exchange: Exchange, onReset?: () => void): void {
    const request = new ServedRequest(exchange, this, onReset);
    if (request.isLongRunning) {
      this.#streams.add(request);
    } else {
      this.#short.add(request);
      if (!this.#isTimerSet) this.#expireIn(this.services.limits.requestTimeoutMs);
      if (!this.#isSweepSet && this.#short.size > MIN_SWEPT_REQUESTS) this.#sweepSoon();
    }
    request.run();
  }

  tookOver(request: ServedRequest): void {
    this.#short.delete(request);
    this.#streams.add(request);
  }

  requestOver(request: ServedRequest): void {
    this.#streams.delete(request);
    this.#short.delete(request);
  }

  /** Ends every watch, and asks every handler that has taken over a connection to finish. */
  endStreams(): void {
    for (const request of this.#streams) request.endStream();
  }

  cutAll(): void {
    for (const requests of [this.#streams, this.#short]) {
      for (const request of requests) request.cut('The server stops');
    }
  }

  #sweepSoon(): void {
    this.#isSweepSet = true;
    this.services.clock.timer(UNREAD_MS, () => this.#sweep());
  }

  /** Requests whose clients do not read no longer count as being in progress. */
  #sweep(): void {
    this.#isSweepSet = false;
    const before = this.services.clock.monotonic() - UNREAD_MS;
    for (const request of this.#short)
      if (request.pendingBytes > 0 && request.waitsSinceMs <= before) request.call.served();
    if (this.#short.size > MIN_SWEPT_REQUESTS) this.#sweepSoon();
  }

  /** The timer is not reset: an early wake-up without work costs less than setting the timer for each request. */
  #expireIn(ms: number): void {
    this.#isTimerSet = true;
    this.services.clock.timer(ms, () => this.#expireLate());
  }

  #expireLate(): void {
    this.#isTimerSet = false;
    const now = this.services.clock.monotonic();
    for (const request of this.#short) {
      const remainingMs = request.startedAtMs + this.services.limits.requestTimeoutMs - now;
      if (remainingMs > 0) {
        this.#expireIn(remainingMs);
        return;
      }
      request.expire();
    }
    if (this.#short.size > 0) this.#expireIn(this.services.limits.requestTimeoutMs); // for clients that do not read the 504 either
  }
}
