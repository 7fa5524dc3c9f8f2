import { expect } from 'vitest';
import { isStoreError } from '../../errors.ts';
import type { Revision, Store } from '../../store.ts';
import { put } from '../../testing/store-under-test.ts';

/** Writes one key over and over, and records which writes were acknowledged and which have an unknown outcome. */
export class RecordedWriter {
  readonly #store: Store;
  readonly #key: string;
  readonly acknowledged = new Map<string, Revision>();
  readonly unknown = new Set<string>();
  #count = 0;

  constructor(store: Store, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** Continues until `isDone`; failures other than `Unavailable` are thrown. */
  async writeUntil(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const value = `${this.#key} ${++this.#count}`;
      try {
        const result = await this.#store.commit({ conditions: [], operations: [put(this.#key, value)] });
        this.acknowledged.set(value, result.revision);
      } catch (error) {
        expect(isStoreError(error, 'Unavailable'), String(error)).toBe(true);
        const { message } = error as Error;
        if (message.includes('the outcome is unknown')) this.unknown.add(value);
        else expect(message).toContain('nothing was written');
      }
    }
  }
}
