import { type ObjectReference, referenceKey } from './object-reference.ts';

/** Owners that are known not to be there, so that not every dependent has to ask. The one not asked for longest goes first. */
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
