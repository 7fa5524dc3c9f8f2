import { isNamespaceTerminating } from '../../api/client.ts';
import { BoundedQueue, type Counter, type Logger, type Runnable } from '../../base/index.ts';
import { type Client, hasReason, type Pace, StatusError, TokenBucket } from '../../client/index.ts';
import type { EventRecorder } from '../events.ts';
import { EventCorrelator } from './event-correlator.ts';
import { EventSeries } from './event-series.ts';
import { type EventWrite, sendEvent } from './event-write.ts';
import { EventMaker, type EventSource } from './new-event.ts';

export interface EventWriterOptions {
  readonly client: Client;
  readonly log: Logger;
  readonly dropped: Counter;
  /** Maximum number of events that wait to be written; default 1,000. */
  readonly capacity?: number;
  /** How fast events are written; further ones wait in the queue. Default no limit. */
  readonly pace?: Pace | undefined;
}

const DEFAULT_CAPACITY = 1000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
const TIMEOUT_MS = 30_000;
const REPORT_DROPPED_MS = 10_000;
/** How long queued events may take to be written when the app stops. */
const LAST_WORDS_TIMEOUT_MS = 2000;

/**
 * Writes events to the server, one after the other.
 *
 * When the queue is full, further events are dropped and counted. A refused event is not retried; while the server is
 * unreachable, all wait.
 */
export class EventWriter implements Runnable {
  readonly #options: EventWriterOptions;
  readonly #capacity: number;
  /** Each write is computed when its turn comes. */
  readonly #queue: BoundedQueue<() => EventWrite | undefined>;
  readonly #correlator: EventCorrelator;
  readonly #series: EventSeries;
  #sweep: Disposable | undefined;
  /** Events dropped since the last log line about it. */
  #droppedSince = 0;
  #dropReport: Disposable | undefined;
  readonly #maker: EventMaker;
  readonly #bucket: TokenBucket | undefined;
  #state: 'idle' | 'writing' | 'waiting' = 'idle';

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#queue = new BoundedQueue(this.#capacity);
    this.#correlator = new EventCorrelator(options.client.clock);
    this.#series = new EventSeries(options.client.clock);
    this.#maker = new EventMaker(options.client);
    if (options.pace !== undefined) this.#bucket = new TokenBucket(options.client.clock, options.pace);
  }

  recorder(source: EventSource): EventRecorder {
    return {
      event: (about, details) => {
        if (this.#queue.size >= this.#capacity) return this.#drop(); // before the event is made, which is expensive
        const event = this.#maker.make(about, details, source);
        const correlate = (): EventWrite | undefined =>
          'action' in event ? this.#series.correlate(event) : this.#correlator.correlate(event);
        if (this.#offer(correlate)) return;
        this.#drop();
      },
    };
  }

  /** Logs one line for all events dropped within a while. */
  #drop(): void {
    const { client, dropped } = this.#options;
    dropped.add();
    this.#droppedSince += 1;
    this.#dropReport ??= client.clock.timer(REPORT_DROPPED_MS, () => this.#reportDropped());
  }

  #reportDropped(): void {
    this.#dropReport?.[Symbol.dispose]();
    this.#dropReport = undefined;
    if (this.#droppedSince > 0) this.#options.log.warn('events dropped', { count: this.#droppedSince });
    this.#droppedSince = 0;
  }

  /** True if nothing is to be written, or not before some time has passed. */
  get isIdle(): boolean {
    return this.#state !== 'writing';
  }

  async run(signal: AbortSignal): Promise<void> {
    const close = (): void => this.#queue.close();
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    for await (const correlate of this.#queue) {
      const write = correlate();
      if (write !== undefined) await this.#write(write, signal);
      if (!signal.aborted) this.#planSweep();
      if (this.#queue.size === 0) this.#state = 'idle';
    }
    this.#state = 'idle';
    this.#sweep?.[Symbol.dispose]();
    this.#reportDropped();
    signal.removeEventListener('abort', close);
  }

  #offer(correlate: () => EventWrite | undefined): boolean {
    const isTaken = this.#queue.offer(correlate);
    if (isTaken && this.#state === 'idle') this.#state = 'writing';
    return isTaken;
  }

  /** Schedules the next check for series that have ended. */
  #planSweep(): void {
    if (this.#sweep !== undefined || this.#series.isEmpty) return;
    this.#sweep = this.#options.client.clock.timer(this.#series.untilSweepMs, () => {
      this.#sweep = undefined;
      for (const write of this.#series.sweep()) if (!this.#offer(() => write)) this.#drop();
      this.#planSweep();
    });
  }

  async #write(write: EventWrite, signal: AbortSignal): Promise<void> {
    const { random } = this.#options.client;
    const waitMs = this.#bucket?.nextMs() ?? 0;
    if (waitMs > 0) await this.#wait(waitMs, signal);
    for (let tries = 1; ; tries++) {
      try {
        await sendEvent(this.#options.client, write, this.#timeoutMs(signal));
        return;
      } catch (error) {
        const isRefused = error instanceof StatusError && error.code < 500;
        const isLast = isRefused || tries === MAX_TRIES || signal.aborted;
        this.#logFailure(write, error, isLast);
        if (signal.aborted && !isRefused) await this.#queue.return(); // the server does not answer: drop the rest
        if (isLast) return;
      }
      await this.#wait(tries === 1 ? RETRY_MS * random.float() : RETRY_MS, signal);
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    this.#state = 'waiting';
    await this.#options.client.clock.sleep(ms, signal);
    this.#state = 'writing';
  }

  /** No timeout for a server in the same process: a timer for each event would cost more than it is worth. */
  #timeoutMs(signal: AbortSignal): number | undefined {
    if (signal.aborted) return LAST_WORDS_TIMEOUT_MS;
    return this.#options.client.isLocal ? undefined : TIMEOUT_MS;
  }

  #logFailure({ event }: EventWrite, error: unknown, isLast: boolean): void {
    const { log, dropped } = this.#options;
    const { reason, involvedObject } = event;
    const fields = { reason, object: involvedObject.name, error };
    if (!isLast) return log.warn('event not written yet', fields);
    dropped.add();
    const isNormal = hasReason(error, 'AlreadyExists') || isNamespaceTerminating(error);
    if (isNormal) log.debug('event refused', fields);
    else log.warn('event not written', fields);
  }
}
