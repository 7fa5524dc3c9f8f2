import type { Clock } from '../../base/index.ts';
import type { Query } from '../request/query.ts';
import type { WatchAnswer, WatchEvent } from './answer.ts';
import { EventFramer } from './event-framer.ts';
import { FrameCache } from './frame-cache.ts';
import type { MetadataForms } from './metadata-forms.ts';
import type { Representation } from './representation.ts';
import type { StatusEncoder } from './status-encoder.ts';
import { jsonFrame, protobufFrame } from './watch-frame.ts';
import { NotConvertible, payloadFor } from './watch-payload.ts';

export interface WatchEncoderOptions {
  readonly clock: Clock;
  readonly forms: MetadataForms;
  readonly statuses: StatusEncoder;
}

const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** Writes the events of watches. A single event is framed once, and the same bytes go to every watcher of its kind. */
export class WatchEncoder {
  readonly #options: WatchEncoderOptions;
  readonly #cache = new FrameCache({ maxBytes: MAX_CACHED_BYTES });

  constructor(options: WatchEncoderOptions) {
    this.#options = options;
  }

  /** The stream of one watcher; throws at once when it cannot be had as asked. */
  encode({ resource, events }: WatchAnswer, representation: Representation, query: Query): AsyncIterable<Uint8Array> {
    const { clock, forms, statuses } = this.#options;
    const { format } = representation;
    const framer = new EventFramer({
      resource,
      payload: payloadFor(representation, { resource, forms, clock, query }),
      frame: format === 'protobuf' ? protobufFrame : jsonFrame,
      statusBytes: (status) => statuses.embedded(status, format),
      cache: this.#cache,
    });
    return stream(events, framer);
  }
}

async function* stream(events: WatchAnswer['events'], framer: EventFramer): AsyncGenerator<Uint8Array> {
  try {
    for await (const batch of events) {
      if (batch.length === 1) yield framer.one(batch[0] as WatchEvent);
      else yield* framer.many(batch);
    }
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
  }
}
