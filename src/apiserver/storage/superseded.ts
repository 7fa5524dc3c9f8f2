import type { StoredObject } from './stored-object.ts';

/** Watches this far behind find the forms of older revisions ready made; those further behind have them made again. */
const KEPT = 256;

/**
 * Past revisions stay in the store's history for minutes. Their bytes do; what was made of them (parsed objects, encodings) is
 * many times as large, and is let go when so many newer revisions have been superseded.
 */
export class Superseded {
  readonly #objects: StoredObject[] = [];
  #next = 0;

  add(stored: StoredObject): void {
    this.#objects[this.#next]?.forget();
    this.#objects[this.#next] = stored;
    this.#next = (this.#next + 1) % KEPT;
  }
}
