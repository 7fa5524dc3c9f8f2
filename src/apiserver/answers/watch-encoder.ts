import { Buffer } from 'node:buffer';
import { canonicalObject, encodeJson, ProtobufWriter, wrapProtobuf } from '../../api/index.ts';
import type { ApiObject, Status } from '../../api/index.ts';
import { type Clock, unreachable } from '../../base/index.ts';
import type { KindWatchMetrics, WatchMetrics } from '../metrics/watch-metrics.ts';
import type { Query } from '../request/query.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf, type StoredObject } from '../storage/stored-object.ts';
import type { WatchAnswer, WatchEvent } from './answer.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { FrameCache } from './frame-cache.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { jsonOf, objectOf, type ObjectSource, protobufOf } from './object-forms.ts';
import type { Conversion, Format, Representation } from './representation.ts';
import type { StatusEncoder } from './status-encoder.ts';
import { includeObject, tableOf } from './table.ts';

export interface WatchEncoderOptions {
  readonly clock: Clock;
  readonly forms: MetadataForms;
  readonly statuses: StatusEncoder;
  readonly metrics?: WatchMetrics;
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
    const { clock, forms, statuses, metrics } = this.#options;
    const { format } = representation;
    const framer = new EventFramer({
      resource,
      payload: payloadFor(representation, { resource, forms, clock, query }),
      frame: format === 'protobuf' ? protobufFrame : jsonFrame,
      statusBytes: (status) => statuses.embedded(status, format),
      cache: this.#cache,
      metrics: metrics?.of(resource),
    });
    return new EventStream(events, framer);
  }
}

/** The bytes of one watch. No generator: there are thousands of watches, and most events go to many of them. */
class EventStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #events: AsyncIterator<readonly WatchEvent[]>;
  readonly #framer: EventFramer;
  /** What is left of many events that came at once. */
  #rest: Iterator<Uint8Array> | undefined;

  constructor(events: WatchAnswer['events'], framer: EventFramer) {
    this.#events = events[Symbol.asyncIterator]();
    this.#framer = framer;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      for (;;) {
        const piece = this.#rest?.next();
        if (piece?.done === false) return piece;
        const step = await this.#events.next();
        if (step.done === true) return OVER;
        const batch = step.value;
        if (batch.length === 1) return { value: this.#framer.one(batch[0] as WatchEvent), done: false };
        this.#rest = this.#framer.many(batch);
      }
    } catch (error) {
      await this.return();
      if (error instanceof NotConvertible) return OVER;
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#rest = undefined;
    await this.#events.return?.();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const OVER = { value: undefined, done: true } as const;

interface EventFramerOptions {
  readonly resource: Resource;
  readonly payload: Payload;
  readonly frame: Frame;
  readonly statusBytes: (status: Status) => Uint8Array;
  readonly cache: FrameCache;
  readonly metrics: KindWatchMetrics | undefined;
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

  /** Many events, most likely the state that one watcher starts from: in as few pieces as possible, made as they are taken. */
  *many(events: readonly WatchEvent[]): Generator<Uint8Array> {
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

function pinnedEvent(event: WatchEvent, resource: Resource): WatchEvent {
  return 'object' in event ? { ...event, object: event.object.pinned(resource) } : event;
}

/** Tells that the state is complete and changes follow (KEP-3157). */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

/** The object of a BOOKMARK: an empty one of the kind, with nothing but the resourceVersion. */
function bookmarkObject(event: Extract<WatchEvent, { type: 'BOOKMARK' }>, resource: Resource): ApiObject {
  const annotations = event.endsInitialEvents ? { annotations: INITIAL_EVENTS_END } : {};
  const metadata = { ...annotations, resourceVersion: event.resourceVersion };
  const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  if (resource.capabilities.objects === 'unstructured') return object;
  return canonicalObject(object, resource.type);
}

/** Puts the object of an event, which is encoded already, into a frame: in pieces to be written one after the other. */
type Frame = (type: WatchEvent['type'], object: Uint8Array) => readonly Uint8Array[];

/** One line of JSON for each event. */
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

/** Four bytes of length, highest first, then a WatchEvent whose object is the envelope as raw bytes. */
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

/** How the objects of one watch's events are written. */
interface Payload {
  /** Says all that the bytes depend on, so that watchers can share them; undefined when they are one watcher's own. */
  readonly sharedAs: string | undefined;
  encode(source: ObjectSource, options: { readonly endsInitialEvents: boolean }): Uint8Array;
}

interface PayloadContext {
  readonly resource: Resource;
  readonly forms: MetadataForms;
  readonly clock: Clock;
  readonly query: Query;
}

function payloadFor({ format, conversion }: Representation, context: PayloadContext): Payload {
  if (conversion === undefined) return plainPayload(format, context);
  switch (conversion.kind) {
    case 'PartialObjectMetadata':
      return partialPayload(format, conversion.apiVersion, context);
    case 'Table':
      return tablePayload(conversion, context);
    case 'PartialObjectMetadataList':
      return { sharedAs: undefined, encode: refuse };
    default:
      return unreachable(conversion.kind);
  }
}

function plainPayload(format: Format, { resource }: PayloadContext): Payload {
  const sharedAs = `${format} ${apiVersionOf(resource)}`;
  if (format !== 'protobuf') return { sharedAs, encode: (source) => jsonOf(source, resource) };
  const typeMeta = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return { sharedAs, encode: (source) => wrapProtobuf(protobufOf(source, resource), typeMeta) };
}

function partialPayload(format: Format, apiVersion: string, { resource, forms }: PayloadContext): Payload {
  const kind = 'PartialObjectMetadata';
  const sharedAs = `${format} ${apiVersionOf(resource)} ${kind} ${apiVersion}`;
  if (format === 'protobuf') {
    return { sharedAs, encode: (source) => wrapProtobuf(forms.protobuf(source, resource), { apiVersion, kind }) };
  }
  const head = Buffer.from(`{"kind":"${kind}","apiVersion":${JSON.stringify(apiVersion)},"metadata":`);
  return { sharedAs, encode: (source) => Buffer.concat([head, forms.json(source, resource), CLOSE]) };
}

const CLOSE = Buffer.from('}');

/** Only the first table of a watch says what its columns are. */
function tablePayload({ apiVersion }: Conversion, { resource, forms, clock, query }: PayloadContext): Payload {
  const asked = includeObject(query);
  let isFirst = true;
  return {
    sharedAs: undefined,
    encode(source, { endsInitialEvents }) {
      const include = asked === 'None' && endsInitialEvents ? 'Metadata' : asked; // the annotation has to get through
      const { resourceVersion = '' } = objectOf(source, resource).metadata;
      const table = tableOf([source], { resourceVersion }, { resource, forms, apiVersion, include, now: clock.now() });
      const columnDefinitions = isFirst ? table.columnDefinitions : null;
      isFirst = false;
      return Buffer.from(encodeJson({ ...table, columnDefinitions }));
    },
  };
}

/** An event is never a list; Kubernetes finds out at the first event, and ends the watch there. */
function refuse(): never {
  throw new NotConvertible();
}

class NotConvertible extends Error {
  override readonly name = 'NotConvertible';
}
