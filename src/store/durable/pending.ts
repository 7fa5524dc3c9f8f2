import type { LookUp, RevisionRecord } from '../mvcc/revision-record.ts';
import { keyOf } from '../mvcc/revision-record.ts';
import type { Entry, Revision } from '../store.ts';

/**
 * The writes on their way to the disk: no reader may see them yet, but the next transaction must take them into
 * account.
 *
 * Example: key a is at revision 5, a write of it at 6 is queued. Readers still get 5. A transaction that requires a to
 * be at 5 is refused (once 6 is on disk); one that requires 6 is queued behind it.
 */
export class Pending {
  readonly #visible: LookUp;
  readonly #keys = new Map<string, { readonly entry: Entry | undefined; readonly revision: Revision }>();

  constructor(visible: LookUp) {
    this.#visible = visible;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The key as it will be when every queued write has been applied. */
  get(key: string): Entry | undefined {
    const pending = this.#keys.get(key);
    return pending === undefined ? this.#visible(key) : pending.entry;
  }

  add({ revision, events }: RevisionRecord): void {
    for (const event of events) {
      this.#keys.set(keyOf(event), { entry: event.type === 'put' ? event.entry : undefined, revision });
    }
  }

  /** Call when the record has become visible. */
  remove({ revision, events }: RevisionRecord): void {
    for (const event of events) {
      const key = keyOf(event);
      if (this.#keys.get(key)?.revision === revision) this.#keys.delete(key);
    }
  }

  clear(): void {
    this.#keys.clear();
  }
}
