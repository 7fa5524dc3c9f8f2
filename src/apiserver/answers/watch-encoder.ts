import type { Query } from '../../api/index.ts';
import { type Clock, leave, OVER, polled, type Polled, PolledSource } from '../../base/index.ts';
import type { WatchMetrics } from '../metrics/watch-metrics.ts';
import type { WatchAnswer, WatchEvent } from './answer.ts';
import { EventFramer } from './event-framer.ts';
import { NotConvertible, payloadFor } from './event-payload.ts';
import { FrameCache } from './frame-cache.ts';
import type { MetadataForms } from './metadata-forms.ts';
import type { Representation } from './representation.ts';
import type { StatusEncoder } from './status-encoder.ts';

export interface WatchEncoderOptions {
  readonly clock: Clock;
  readonly forms: MetadataForms;
  readonly statuses: StatusEncoder;
  readonly metrics?: WatchMetrics;
}

const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** Encodes the events of watches. A single event is encoded once, and every watch with the same representation sends the same bytes. */
export class WatchEncoder {
  readonly #options: WatchEncoderOptions;
  readonly #cache = new FrameCache({ maxBytes: MAX_CACHED_BYTES });

  constructor(options: WatchEncoderOptions) {
    this.#options = options;
  }

  /** The stream of one watch; throws at once when the requested form is not possible. */
  encode({ resource, events }: WatchAnswer, representation: Representation, query: Query): AsyncIterable<Uint8Array> {
    const { clock, forms, statuses, metrics } = this.#options;
    const { format } = representation;
    const framer = new EventFramer({
      resource,
      payload: payloadFor(representation, { resource, forms, clock, query }),
      format,
      statusBytes: (status) => statuses.embedded(status, format),
      cache: this.#cache,
      metrics: metrics?.of(resource),
    });
    return new EventStream(events, framer);
  }
}

/** The encoded events of one watch. */
class EventStream extends PolledSource<Uint8Array> {
  readonly #events: Polled<readonly WatchEvent[]>;
  readonly #framer: EventFramer;
  /** The rest of a batch of events. */
  #rest: Iterator<Uint8Array> | undefined;

  constructor(events: WatchAnswer['events'], framer: EventFramer) {
    super();
    this.#events = polled(events);
    this.#framer = framer;
  }

  poll(wake: () => void): IteratorResult<Uint8Array, undefined> | undefined {
    try {
      for (;;) {
        const piece = this.#rest?.next();
        if (piece?.done === false) return piece;
        const step = this.#events.poll(wake);
        if (step === undefined || step.done === true) return step;
        const batch = step.value;
        if (batch.length === 1) return { value: this.#framer.one(batch[0] as WatchEvent), done: false };
        this.#rest = this.#framer.many(batch);
      }
    } catch (error) {
      this.#rest = undefined;
      leave(this.#events);
      if (error instanceof NotConvertible) return OVER;
      throw error;
    }
  }

  protected async leave(): Promise<void> {
    this.#rest = undefined;
    await this.#events.return?.();
  }
}
