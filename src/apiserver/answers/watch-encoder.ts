import { Buffer } from 'node:buffer';
import type { Clock } from '../../base/index.ts';
import type { Query } from '../request/query.ts';
import type { WatchAnswer, WatchEvent } from './answer.ts';
import { bookmarkObject } from './bookmark.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { FrameCache } from './frame-cache.ts';
import type { MetadataForms } from './metadata-forms.ts';
import type { Representation } from './representation.ts';
import type { StatusEncoder } from './status-encoder.ts';
import { jsonFrame, protobufFrame } from './watch-frame.ts';
import type { Frame } from './watch-frame.ts';
import { NotConvertible, payloadFor } from './watch-payload.ts';
import type { Payload } from './watch-payload.ts';

export interface WatchEncoderOptions {
  readonly clock: Clock;
  readonly forms: MetadataForms;
  readonly statuses: StatusEncoder;
}

const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** Writes the events of watches. A single event is framed once and the same bytes go to every watcher of its kind. */
export class WatchEncoder {
  readonly #options: WatchEncoderOptions;
  readonly #cache = new FrameCache({ maxBytes: MAX_CACHED_BYTES });

  constructor(options: WatchEncoderOptions) {
    this.#options = options;
  }

  /** The stream of one watcher; throws at once when it cannot be had as asked. */
  encode(answer: WatchAnswer, representation: Representation, query: Query): AsyncIterable<Uint8Array> {
    const { clock, forms, statuses } = this.#options;
    const { resource } = answer;
    const { format } = representation;
    const payload = payloadFor(representation, { resource, forms, clock, query });
    const frame = format === 'protobuf' ? protobufFrame : jsonFrame;
    const statusBytes = (status: Parameters<StatusEncoder['embedded']>[0]): Uint8Array => statuses.embedded(status, format);
    const framer = new EventFramer(answer, { payload, frame, statusBytes, cache: this.#cache });
    return stream(answer.events, framer);
  }
}

interface EventFramerOptions {
  readonly payload: Payload;
  readonly frame: Frame;
  readonly statusBytes: (status: Extract<WatchEvent, { type: 'ERROR' }>['status']) => Uint8Array;
  readonly cache: FrameCache;
}

/** Frames the events of one watcher. */
class EventFramer {
  readonly #answer: WatchAnswer;
  readonly #options: EventFramerOptions;

  constructor(answer: WatchAnswer, options: EventFramerOptions) {
    this.#answer = answer;
    this.#options = options;
  }

  /** One event, most likely on its way to many watchers. */
  one(event: WatchEvent): Uint8Array {
    const known = this.#known(event);
    if (known !== undefined) return known;
    const parts = this.#parts(event);
    const frame = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    const { cache, payload } = this.#options;
    if ('object' in event && payload.sharedAs !== undefined) cache.add(event.object, `${event.type} ${payload.sharedAs}`, frame);
    return frame;
  }

  /** Many events, most likely the state that one watcher starts from: in as few pieces as possible, and not kept. */
  many(events: readonly WatchEvent[]): readonly Uint8Array[] {
    const writer = new ChunkWriter();
    for (const event of events) {
      const known = this.#known(event);
      if (known !== undefined) writer.bytes(known);
      else for (const part of this.#parts(event)) writer.bytes(part);
    }
    return writer.finish();
  }

  #known(event: WatchEvent): Uint8Array | undefined {
    const { cache, payload } = this.#options;
    if (!('object' in event) || payload.sharedAs === undefined) return undefined;
    return cache.find(event.object, `${event.type} ${payload.sharedAs}`);
  }

  #parts(event: WatchEvent): readonly Uint8Array[] {
    const { payload, frame, statusBytes } = this.#options;
    switch (event.type) {
      case 'ERROR':
        return frame(event.type, statusBytes(event.status));
      case 'BOOKMARK': {
        const { endsInitialEvents } = event;
        return frame(event.type, payload.encode(bookmarkObject(event, this.#answer.resource), { endsInitialEvents }));
      }
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return frame(event.type, payload.encode(event.object, { endsInitialEvents: false }));
    }
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
