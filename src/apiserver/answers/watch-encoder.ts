import { Buffer } from 'node:buffer';
import { type ApiObject, canonicalize, type Status } from '../../api/index.ts';
import { type Clock, unreachable } from '../../base/index.ts';
import type { Query } from '../request/query.ts';
import type { ServedKind } from '../served-kind.ts';
import { apiVersionOf, type StoredObject } from '../storage/stored-object.ts';
import type { WatchAnswer, WatchEvent } from './answer.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { FrameCache } from './frame-cache.ts';
import type { MetadataForms } from './metadata-forms.ts';
import type { Representation } from './representation.ts';
import type { StatusEncoder } from './status-encoder.ts';
import { type Frame, jsonFrame, protobufFrame } from './watch-frame.ts';
import { NotConvertible, type Payload, payloadFor } from './watch-payload.ts';

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

interface EventFramerOptions {
  readonly resource: ServedKind;
  readonly payload: Payload;
  readonly frame: Frame;
  readonly statusBytes: (status: Status) => Uint8Array;
  readonly cache: FrameCache;
}

type ObjectEvent = Extract<WatchEvent, { readonly object: StoredObject }>;

/** Frames the events of one watcher. */
class EventFramer {
  readonly #options: EventFramerOptions;
  /** What frames are shared as, by the type of event; undefined when they are this watcher's own. */
  readonly #names: Readonly<Record<ObjectEvent['type'], string>> | undefined;

  constructor(options: EventFramerOptions) {
    const { sharedAs } = options.payload;
    this.#options = options;
    this.#names =
      sharedAs === undefined
        ? undefined
        : { ADDED: `ADDED ${sharedAs}`, MODIFIED: `MODIFIED ${sharedAs}`, DELETED: `DELETED ${sharedAs}` };
  }

  /** One event, most likely on its way to many watchers: they all get the same bytes. */
  one(event: WatchEvent): Uint8Array {
    const known = this.#known(event);
    if (known !== undefined) return known;
    const parts = this.#parts(event);
    const frame = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    if (this.#names !== undefined && 'object' in event) {
      this.#options.cache.add(event.object, this.#names[event.type], frame);
    }
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
    if (this.#names === undefined || !('object' in event)) return undefined;
    return this.#options.cache.find(event.object, this.#names[event.type]);
  }

  #parts(event: WatchEvent): readonly Uint8Array[] {
    const { resource, payload, frame, statusBytes } = this.#options;
    switch (event.type) {
      case 'ERROR':
        return frame(event.type, statusBytes(event.status));
      case 'BOOKMARK': {
        const { endsInitialEvents } = event;
        return frame(event.type, payload.encode(bookmarkObject(event, resource), { endsInitialEvents }));
      }
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return frame(event.type, payload.encode(event.object, { endsInitialEvents: false }));
      default:
        return unreachable(event);
    }
  }
}

/** Tells that the state is complete and changes follow (KEP-3157). */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

/** The object of a BOOKMARK: an empty one of the kind, with nothing but the resourceVersion. */
function bookmarkObject(event: Extract<WatchEvent, { type: 'BOOKMARK' }>, resource: ServedKind): ApiObject {
  const annotations = event.endsInitialEvents ? { annotations: INITIAL_EVENTS_END } : {};
  const metadata = { ...annotations, resourceVersion: event.resourceVersion };
  const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  if (resource.capabilities.objects === 'unstructured') return object;
  return canonicalize(object, resource.type) as unknown as ApiObject;
}
