import {
  type Call,
  type Encode,
  type IncomingRequest,
  type InFlight,
  isLongRunning,
  type Next,
  type RequestLimiter,
  type Stage,
} from '../apiserver/index.ts';
import { type Clock, DurationError, onAbort, parseGoDuration, type TimeWeightedHistogram } from '../base/index.ts';
import { type EstimateParts, estimateWork } from './estimates/estimate-work.ts';
import { WatchCounts } from './estimates/watch-counts.ts';
import type { ActiveSchema, FlowControl } from './flow-control.ts';
import type { FlowMetrics } from './metrics/flow-metrics.ts';
import type { Ticket } from './queues/ticket.ts';

export interface FairLimiterOptions {
  readonly clock: Clock;
  readonly control: FlowControl;
  readonly metrics: FlowMetrics;
  readonly sizes: EstimateParts['sizes'];
  readonly serverSeats: number;
  /** Deadline of requests that specify none. */
  readonly requestTimeoutMs: number;
  readonly encode: Encode;
}

/** The part of a request's timeout that it may wait. */
const WAITING_PART = 1 / 4;
const MAX_WAIT_MS = 60_000;
const READS = new Set(['get', 'list', 'watch']);

/**
 * Gives every request its seats, at once or when it is its turn, or refuses it with 429. A request keeps its seats
 * until its handler is done and its answer is sent, or waits for a client that does not read; a watch until its initial
 * events are sent.
 */
export class FairLimiter implements RequestLimiter {
  readonly #options: FairLimiterOptions;
  readonly #watches = new WatchCounts();
  readonly #estimateParts: EstimateParts;
  readonly #executing: RequestCounts;
  readonly #waiting: RequestCounts;

  constructor(options: FairLimiterOptions) {
    const { metrics, serverSeats } = options;
    this.#options = options;
    this.#estimateParts = { sizes: options.sizes, watches: this.#watches };
    this.#executing = new RequestCounts(metrics, 'executing', serverSeats);
    this.#waiting = new RequestCounts(metrics, 'waiting', serverSeats);
  }

  get inFlight(): InFlight {
    return this.#executing;
  }

  get waiting(): InFlight {
    return this.#waiting;
  }

  readonly stage: Stage = (call, next) => {
    const { info } = call;
    if (info.verb !== 'watch' && isLongRunning(info)) return next(call);
    const schema = this.#options.control.classify(info, call.principal.user);
    call.commonHeaders = schema.headers;
    const started = this.#enter(call, schema);
    if (!(started instanceof Promise)) return this.#serve(call, next, { ticket: started, schema });
    return started.then((ticket) => this.#serve(call, next, { ticket, schema }));
  };

  #serve(call: Call, next: Next, { ticket, schema }: Entered): ReturnType<Stage> {
    if (ticket === undefined) return this.#refuse(call, schema);
    const { verb } = call.info;
    const isRead = READS.has(verb);
    this.#executing.add(isRead, 1, ticket.startedAt);
    if (verb === 'watch') call.record.onFinish(this.#watches.open(call));
    let open = 2;
    const close = (): void => {
      open -= 1;
      if (open > 0) return;
      this.#executing.add(isRead, -1);
      this.#leave(ticket, schema, verb === 'watch' ? 'watch' : 'regular');
    };
    call.record.onServed(close);
    return whenOver(() => next(call), close);
  }

  /** The ticket, at once or when the request has its seats; undefined when it is refused. */
  #enter(call: Call, schema: ActiveSchema): Ticket | undefined | Promise<Ticket | undefined> {
    const { level, recorder } = schema;
    const estimate = estimateWork(call, this.#estimateParts, { maxSeats: level.maxSeats, recorder });
    const distinguisher = distinguisherOf(call, schema);
    const ticket = level.queues.start({ call, estimate, distinguisher, recorder });
    if (typeof ticket === 'string') {
      if (!level.isExempt) recorder.waited(0, false);
      return undefined;
    }
    recorder.estimatedSeats.observe(ticket.seats);
    if (ticket.startedAt === undefined) return this.#wait(ticket, schema);
    if (!level.isExempt) recorder.waited(0, true);
    return ticket;
  }

  #wait(ticket: Ticket, { level, recorder }: ActiveSchema): Promise<Ticket | undefined> {
    const { clock } = this.#options;
    const { call } = ticket;
    const isRead = READS.has(call.info.verb);
    this.#waiting.add(isRead, 1);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        if (level.queues.cancel(ticket)) decide(false);
      };
      const decide = (isStarted: boolean): void => {
        timer[Symbol.dispose]();
        leaving[Symbol.dispose]();
        this.#waiting.add(isRead, -1);
        recorder.waited(clock.monotonic() - ticket.arrivedAt, isStarted);
        if (!isStarted) this.#reap(level.isQuiescing && level.queues.isIdle);
        resolve(isStarted ? ticket : undefined);
      };
      ticket.decide = decide;
      const timer = clock.timer(this.#longestWaitMs(call), giveUp);
      const leaving = onAbort(call.request.signal, giveUp);
      if (call.request.signal.aborted) giveUp();
    });
  }

  #leave(ticket: Ticket, { level, recorder }: ActiveSchema, type: 'watch' | 'regular'): void {
    recorder.executed(level.queues.finish(ticket), type);
    this.#reap(level.isQuiescing && level.queues.isIdle);
  }

  #reap(isOver: boolean): void {
    if (isOver) this.#options.control.reap();
  }

  #refuse(call: Call, { level }: ActiveSchema): ReturnType<Encode> {
    const headers = { 'retry-after': String(level.retryAfter.refused()), 'x-content-type-options': 'nosniff' };
    const body = 'Too many requests, please try again later.\n';
    return this.#options.encode(
      { type: 'bytes', code: 429, contentType: 'text/plain; charset=utf-8', body, headers },
      call,
    );
  }

  #longestWaitMs(call: Call): number {
    const { clock, requestTimeoutMs } = this.#options;
    const wanted = call.info.verb === 'watch' ? undefined : requestedMs(call.request);
    const limit = Math.min(MAX_WAIT_MS, Math.min(requestTimeoutMs, wanted ?? Infinity) * WAITING_PART);
    return Math.max(0, limit - (clock.now() - call.record.receivedAt));
  }
}

/** A request that has its ticket; undefined when it is refused. */
interface Entered {
  readonly ticket: Ticket | undefined;
  readonly schema: ActiveSchema;
}

/** Calls `over` when the answer is there, or there will be none. */
function whenOver(run: () => ReturnType<Next>, over: () => void): ReturnType<Next> {
  try {
    const answer = run();
    if (answer instanceof Promise) return answer.finally(over);
    over();
    return answer;
  } catch (error) {
    over();
    throw error;
  }
}

/** The timeout that the client requested; undefined when it did not. */
function requestedMs({ query }: IncomingRequest): number | undefined {
  const text = query.get('timeout');
  if (text === '') return undefined;
  try {
    return Number(parseGoDuration(text)) / 1e6 || undefined;
  } catch (error) {
    if (error instanceof DurationError) return undefined; // the transport has refused it, or there is none
    throw error;
  }
}

function distinguisherOf({ principal: { user }, info }: Call, { distinguisher }: ActiveSchema): string {
  switch (distinguisher) {
    case 'user':
      return user.name;
    case 'namespace':
      return info.namespace;
    case 'none':
      return '';
  }
}

/** The numbers of reads and writes in one phase. */
class RequestCounts implements InFlight {
  reads = 0;
  writes = 0;
  readonly #limit: number;
  readonly #readShares: TimeWeightedHistogram;
  readonly #writeShares: TimeWeightedHistogram;

  constructor(metrics: FlowMetrics, phase: 'waiting' | 'executing', limit: number) {
    this.#limit = Math.max(1, limit);
    this.#readShares = metrics.readsAndWrites(phase, 'readOnly');
    this.#writeShares = metrics.readsAndWrites(phase, 'mutating');
  }

  add(isRead: boolean, amount: number, now?: number): void {
    if (isRead) {
      this.reads += amount;
      this.#readShares.set(this.reads / this.#limit, now);
    } else {
      this.writes += amount;
      this.#writeShares.set(this.writes / this.#limit, now);
    }
  }
}
