import { Buffer } from 'node:buffer';
import type { Status } from '../../api/index.ts';
import { unreachable } from '../../base/index.ts';
import type { Resource } from '../resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { WatchEvent } from './answer.ts';
import { bookmarkObject } from './bookmark.ts';
import { ChunkWriter } from './chunk-writer.ts';
import type { FrameCache } from './frame-cache.ts';
import type { Frame } from './watch-frame.ts';
import type { Payload } from './watch-payload.ts';

export interface EventFramerOptions {
  readonly resource: Resource;
  readonly payload: Payload;
  readonly frame: Frame;
  readonly statusBytes: (status: Status) => Uint8Array;
  readonly cache: FrameCache;
}

type ObjectEvent = Extract<WatchEvent, { readonly object: StoredObject }>;

/** Frames the events of one watcher. */
export class EventFramer {
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
