import { type ObjectReference, referenceKey } from './object-reference.ts';

/**
 * Caches owners that are known to be absent, so that not every dependent triggers a request. The least recently used
 * entry is dropped first.
 */
export class AbsentOwners {
  readonly #capacity: number;
  readonly #keys = new Set<string>();

  constructor(capacity = 500) {
    this.#capacity = capacity;
  }

  add(owner: ObjectReference): void {
    this.#touch(referenceKey(owner));
    if (this.#keys.size <= this.#capacity) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(owner: ObjectReference): boolean {
    const key = referenceKey(owner);
    if (!this.#keys.has(key)) return false;
    this.#touch(key);
    return true;
  }

  #touch(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
  }
}
