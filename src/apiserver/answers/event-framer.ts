import { Buffer } from 'node:buffer';
import { type ApiObject, canonicalObject, ProtobufWriter, type Status } from '../../api/index.ts';
import { unreachable } from '../../base/index.ts';
import type { KindWatchMetrics } from '../metrics/watch-metrics.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf, type StoredObject } from '../storage/stored-object.ts';
import type { WatchEvent } from './answer.ts';
import { ChunkWriter } from './chunk-writer.ts';
import type { Payload } from './event-payload.ts';
import type { FrameCache } from './frame-cache.ts';
import type { Format } from './representation.ts';

export interface EventFramerOptions {
  readonly resource: Resource;
  readonly payload: Payload;
  readonly format: Format;
  readonly statusBytes: (status: Status) => Uint8Array;
  readonly cache: FrameCache;
  readonly metrics: KindWatchMetrics | undefined;
}

/** Larger batches are initial states, which are not shared; a lagging watch gets about a hundred changes at a time. */
const MAX_SHARED = 128;

type ObjectEvent = Extract<WatchEvent, { readonly object: StoredObject }>;

/** Encodes the events of one watch as frames. */
export class EventFramer {
  readonly #options: EventFramerOptions;
  /** The cache keys of shared frames, by type of event; undefined when the frames depend on this watch. */
  readonly #names: Readonly<Record<ObjectEvent['type'], string>> | undefined;

  constructor(options: EventFramerOptions) {
    const { sharedAs } = options.payload;
    this.#options = options;
    this.#names =
      sharedAs === undefined
        ? undefined
        : { ADDED: `ADDED ${sharedAs}`, MODIFIED: `MODIFIED ${sharedAs}`, DELETED: `DELETED ${sharedAs}` };
  }

  /** Frames one event, which many watches are likely to get: they all share the bytes. */
  one(event: WatchEvent): Uint8Array {
    const bytes = this.#known(event) ?? this.#made(event);
    this.#options.metrics?.sent(bytes.byteLength);
    return bytes;
  }

  #made(event: WatchEvent): Uint8Array {
    const parts = this.#parts(event);
    const frame = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    if (this.#names !== undefined && 'object' in event) {
      this.#options.cache.add(event.object, this.#names[event.type], frame);
    }
    return frame;
  }

  /** Frames many events, on demand. */
  many(events: readonly WatchEvent[]): Iterator<Uint8Array> {
    const isConverted = this.#options.resource.storage.convert !== undefined;
    return isConverted || events.length > MAX_SHARED ? this.#packed(events) : this.#shared(events);
  }

  /** Frames the changes that a lagging watch missed; other watches are likely to lag the same way. */
  *#shared(events: readonly WatchEvent[]): Generator<Uint8Array> {
    for (const event of events) yield this.one(event);
  }

  /** Frames the initial state of one watch, in as few pieces as possible. */
  *#packed(events: readonly WatchEvent[]): Generator<Uint8Array> {
    const writer = new ChunkWriter();
    const { resource } = this.#options;
    const isConverted = resource.storage.convert !== undefined;
    const pinned = isConverted ? events.map((event) => pinnedEvent(event, resource)) : events;
    for (const [index, event] of events.entries()) {
      const known = this.#known(event);
      const parts = known === undefined ? this.#parts(pinned[index] as WatchEvent) : [known];
      let bytes = 0;
      for (const part of parts) {
        bytes += part.byteLength;
        writer.bytes(part);
      }
      this.#options.metrics?.sent(bytes);
      if (writer.hasFull) yield* writer.take();
    }
    yield* writer.finish();
  }

  #known(event: WatchEvent): Uint8Array | undefined {
    if (this.#names === undefined || !('object' in event)) return undefined;
    return this.#options.cache.find(event.object, this.#names[event.type]);
  }

  #parts(event: WatchEvent): readonly Uint8Array[] {
    const { resource, payload, format, statusBytes } = this.#options;
    const frame = format === 'protobuf' ? protobufFrame : jsonFrame;
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

function pinnedEvent(event: WatchEvent, resource: Resource): WatchEvent {
  return 'object' in event ? { ...event, object: event.object.pinned(resource) } : event;
}

/** Marks that the initial state is complete and changes follow (KEP-3157). */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

/** The object of a BOOKMARK: an empty one of the kind, with only the resourceVersion. */
function bookmarkObject(event: Extract<WatchEvent, { type: 'BOOKMARK' }>, resource: Resource): ApiObject {
  const annotations = event.endsInitialEvents ? { annotations: INITIAL_EVENTS_END } : {};
  const metadata = { ...annotations, resourceVersion: event.resourceVersion };
  const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  if (resource.capabilities.objects === 'unstructured') return object;
  return canonicalObject(object, resource.type);
}

/** Frames an encoded object, as pieces to be written one after the other. */
type Frame = (type: WatchEvent['type'], object: Uint8Array) => readonly Uint8Array[];

/** One line of JSON per event. */
const jsonFrame: Frame = (type, object) => [starts[type], object, END];

const END = Buffer.from('}\n');
const starts: Readonly<Record<WatchEvent['type'], Uint8Array>> = {
  ADDED: start('ADDED'),
  MODIFIED: start('MODIFIED'),
  DELETED: start('DELETED'),
  BOOKMARK: start('BOOKMARK'),
  ERROR: start('ERROR'),
};

function start(type: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":`);
}

const LENGTH_BYTES = 4;
const LENGTH = new Uint8Array(LENGTH_BYTES);

/** A big-endian length of four bytes, then a WatchEvent with the object's envelope as raw bytes. */
const protobufFrame: Frame = (type, object) => {
  const writer = new ProtobufWriter(object.length + 64);
  writer.raw(LENGTH);
  writer.string(1, type);
  const rawExtension = writer.begin(2);
  writer.bytes(1, object);
  writer.end(rawExtension);
  const frame = writer.finish();
  new DataView(frame.buffer, frame.byteOffset).setUint32(0, frame.length - LENGTH_BYTES);
  return [frame];
};
