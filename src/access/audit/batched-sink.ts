import { type Clock, type Duration, millisecondsOf } from '../../base/index.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditSink } from './audit-sink.ts';

export interface BatchOptions {
  /** Maximum number of waiting events; events that arrive when the buffer is full are dropped. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  readonly maxBatchWait: Duration;
  /** The average batches per second, and the burst after a quiet time; default no limit. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
}

/** Maximum size of all waiting events. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
/** How long disposing waits for the batches that are being sent. */
const MAX_DRAIN_MS = 10_000;
/** Maximum batches that are being sent at the same time; upstream has no limit. */
const MAX_SENDING = 32;

/**
 * Collects events and passes them on in batches, so that requests do not wait.
 *
 * Guarantees: events are passed on in the order of their arrival; a batch is due when it is full or when its first event has waited for the
 * maximum time. Disposing passes on the remaining events, once, and waits for that.
 */
export class BatchedSink implements AuditSink {
  readonly #next: AuditSink;
  readonly #options: BatchOptions;
  readonly #clock: Clock;
  readonly #metrics: AuditMetrics;
  #waiting: AuditEvent[] = [];
  #waitingBytes = 0;
  #timer: Disposable | undefined;
  #throttled: Disposable | undefined;
  readonly #sending = new Set<Promise<void>>();
  #tokens: number;
  #tokensAt: number;
  #isClosed = false;
  /** Whether the first waiting event has waited long enough. */
  #isDue = false;

  constructor(
    next: AuditSink,
    options: BatchOptions,
    { clock, metrics }: { readonly clock: Clock; readonly metrics: AuditMetrics },
  ) {
    this.#next = next;
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#tokens = options.throttle?.burst ?? 0;
    this.#tokensAt = clock.monotonic();
  }

  write(events: readonly AuditEvent[]): boolean {
    for (const [index, event] of events.entries()) {
      const bytes = bytesOf(event);
      const isFull = this.#waiting.length >= this.#options.bufferSize || this.#waitingBytes + bytes > MAX_WAITING_BYTES;
      if (isFull || this.#isClosed) {
        const why = this.#isClosed ? 'audit backend shut down' : 'audit buffer queue blocked';
        this.#metrics.lost('buffered', events.slice(index), why);
        return true;
      }
      this.#waiting.push(event);
      this.#waitingBytes += bytes;
    }
    this.#pump();
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    this.#throttled?.[Symbol.dispose]();
    while (this.#waiting.length > 0) this.#send();
    const timeUp = new AbortController();
    await Promise.race([Promise.all(this.#sending), this.#clock.sleep(MAX_DRAIN_MS, timeUp.signal)]);
    timeUp.abort();
    await this.#next[Symbol.asyncDispose]();
  }

  /** Sends the batches that may be sent now, and schedules the next check. */
  #pump(): void {
    const { maxBatchSize, maxBatchWait } = this.#options;
    while (this.#waiting.length >= maxBatchSize || (this.#isDue && this.#waiting.length > 0)) {
      if (this.#sending.size >= MAX_SENDING || !this.#takeToken()) return;
      this.#send();
    }
    if (this.#waiting.length === 0) return;
    this.#timer ??= this.#clock.timer(millisecondsOf(maxBatchWait), () => {
      this.#timer = undefined;
      this.#isDue = true;
      this.#pump();
    });
  }

  #send(): void {
    const batch = this.#waiting.splice(0, this.#options.maxBatchSize);
    for (const event of batch) this.#waitingBytes -= bytesOf(event);
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#isDue = false;
    const written = this.#next.write(batch);
    if (typeof written === 'boolean') return;
    const sending = written.then(() => {
      this.#sending.delete(sending);
      if (!this.#isClosed) this.#pump();
    });
    this.#sending.add(sending);
  }

  #takeToken(): boolean {
    const { throttle } = this.#options;
    if (throttle === undefined) return true;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#tokensAt) / 1000) * throttle.qps);
    this.#tokensAt = now;
    if (this.#tokens < 1) {
      this.#throttled ??= this.#clock.timer(Math.ceil(((1 - this.#tokens) / throttle.qps) * 1000), () => {
        this.#throttled = undefined;
        this.#pump();
      });
      return false;
    }
    this.#tokens -= 1;
    return true;
  }
}

function bytesOf({ requestObject, responseObject }: AuditEvent): number {
  return (requestObject?.json.length ?? 0) + (responseObject?.json.length ?? 0);
}
