import type { Transaction } from '../store.ts';

/**
 * The values that commits in flight are writing.
 *
 * When the store sends such a value back, the writer's own array is used for it, so that anything cached for that array
 * (an object that need not be parsed again) is found by all later readers.
 */
export class OwnValues {
  readonly #byKey = new Map<string, Set<Uint8Array>>();

  /** Disposing removes them. */
  add(transaction: Transaction): Disposable {
    for (const operation of transaction.operations) {
      if (operation.type !== 'put') continue;
      const known = this.#byKey.get(operation.key);
      if (known === undefined) this.#byKey.set(operation.key, new Set([operation.value]));
      else known.add(operation.value);
    }
    return { [Symbol.dispose]: () => this.#forget(transaction) };
  }

  /** An array with the same bytes that was added for this key. */
  find(key: string, value: Uint8Array): Uint8Array | undefined {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    for (const own of known) if (Buffer.compare(own, value) === 0) return own;
    return undefined;
  }

  #forget(transaction: Transaction): void {
    for (const operation of transaction.operations) {
      if (operation.type !== 'put') continue;
      const known = this.#byKey.get(operation.key);
      known?.delete(operation.value);
      if (known?.size === 0) this.#byKey.delete(operation.key);
    }
  }
}
