import { BoundedQueue, type Counter, type Logger, type Runnable } from '../../base/index.ts';
import { type Client, Event, hasReason, type ResourceClient, strategicPatch, StatusError } from '../../client/index.ts';
import type { EventRecorder } from '../events.ts';
import { type Correlated, EventCorrelator } from './event-correlator.ts';
import { EventMaker, type EventSource, type NewEvent } from './new-event.ts';

export interface EventWriterOptions {
  readonly client: Client;
  readonly log: Logger;
  readonly dropped: Counter;
  /** Events that may wait to be written; 1,000 unless given. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 1000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
const TIMEOUT_MS = 30_000;
/** When the app stops, what is still queued is written if it goes quickly. */
const LAST_WORDS_TIMEOUT_MS = 2000;

/**
 * Writes events to the server, one after the other.
 *
 * The rule for "full": events beyond what is queued are dropped and counted. What the server refuses is not tried again;
 * while the server cannot be reached, everything waits.
 */
export class EventWriter implements Runnable {
  readonly #options: EventWriterOptions;
  readonly #queue: BoundedQueue<NewEvent>;
  readonly #correlator: EventCorrelator;
  readonly #maker: EventMaker;
  #state: 'idle' | 'writing' | 'waiting' = 'idle';

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#queue = new BoundedQueue(options.capacity ?? DEFAULT_CAPACITY);
    this.#correlator = new EventCorrelator(options.client.clock);
    this.#maker = new EventMaker(options.client);
  }

  recorder(source: EventSource): EventRecorder {
    return {
      event: (about, details) => {
        const event = this.#maker.make(about, details, source);
        if (this.#queue.offer(event)) {
          if (this.#state === 'idle') this.#state = 'writing';
          return;
        }
        this.#options.dropped.add();
        this.#options.log.warn('event dropped', { reason: details.reason, object: about.metadata.name });
      },
    };
  }

  /** Nothing is to be written, or not before some time has passed. */
  get isIdle(): boolean {
    return this.#state !== 'writing';
  }

  async run(signal: AbortSignal): Promise<void> {
    const close = (): void => this.#queue.close();
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    for await (const event of this.#queue) {
      await this.#write(this.#correlator.correlate(event), signal);
      if (this.#queue.size === 0) this.#state = 'idle';
    }
    this.#state = 'idle';
    signal.removeEventListener('abort', close);
  }

  async #write(correlated: Correlated, signal: AbortSignal): Promise<void> {
    if (correlated.type === 'skip') return;
    const { clock, random } = this.#options.client;
    for (let tries = 1; ; tries++) {
      try {
        await this.#send(correlated, signal.aborted ? LAST_WORDS_TIMEOUT_MS : TIMEOUT_MS);
        return;
      } catch (error) {
        const isRefused = error instanceof StatusError && error.code < 500;
        const isLast = isRefused || tries === MAX_TRIES || signal.aborted;
        this.#complain(correlated.event, error, isLast);
        if (signal.aborted && !isRefused) await this.#queue.return(); // nobody listens: let us not wait for each of them
        if (isLast) return;
      }
      this.#state = 'waiting';
      await clock.sleep(tries === 1 ? RETRY_MS * random.float() : RETRY_MS, signal);
      this.#state = 'writing';
    }
  }

  async #send({ type, event }: Exclude<Correlated, { type: 'skip' }>, timeoutMs: number): Promise<void> {
    const events = this.#options.client.kindIn(Event, event.metadata.namespace);
    const isCounted = type === 'count' && (await raiseCount(events, event, timeoutMs));
    if (!isCounted) await events.create(event, { maxRetries: 0, timeoutMs });
  }

  #complain({ reason, involvedObject }: NewEvent, error: unknown, isLast: boolean): void {
    const { log, dropped } = this.#options;
    const fields = { reason, object: involvedObject.name, error };
    if (!isLast) return log.warn('event not written yet', fields);
    dropped.add();
    const isNormal = hasReason(error, 'AlreadyExists') || isNamespaceTerminating(error);
    if (isNormal) log.debug('event refused', fields);
    else log.warn('event not written', fields);
  }
}

/** Tells whether the event was there: they live for an hour. */
async function raiseCount(events: ResourceClient<Event>, event: NewEvent, timeoutMs: number): Promise<boolean> {
  const { count, lastTimestamp, message, metadata } = event;
  try {
    await events.patch(metadata.name, strategicPatch({ count, lastTimestamp, message }), { maxRetries: 0, timeoutMs });
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  );
}
