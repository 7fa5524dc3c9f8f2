import type { StoredObject } from '../storage/stored-object.ts';

export interface FrameCacheOptions {
  /** When all frames together are larger, those of the oldest objects are removed. */
  readonly maxBytes: number;
}

/**
 * The frames of recent events. All watches of an object get an event at about the same time, so a frame is needed many times within moments
 * and never again: keeping it with the object would double the memory of every object.
 */
export class FrameCache {
  readonly #frames = new Map<StoredObject, Map<string, Uint8Array>>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxBytes }: FrameCacheOptions) {
    this.#maxBytes = maxBytes;
  }

  /** The cached frame; `name` identifies everything that it depends on besides the object. */
  find(object: StoredObject, name: string): Uint8Array | undefined {
    return this.#frames.get(object)?.get(name);
  }

  add(object: StoredObject, name: string, frame: Uint8Array): void {
    const frames = this.#frames.get(object) ?? new Map<string, Uint8Array>();
    frames.set(name, frame);
    this.#frames.set(object, frames);
    this.#bytes += frame.length;
    while (this.#bytes > this.#maxBytes) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#frames.entries().next().value;
    if (oldest === undefined) return;
    for (const frame of oldest[1].values()) this.#bytes -= frame.length;
    this.#frames.delete(oldest[0]);
  }
}
