import type { KeyRange, Revision, Store } from '../../store.ts';
import { text } from '../../testing/store-under-test.ts';

/** Records which value a watch delivered at which revision. Throws at once for a revision out of order. */
export class RecordedWatch {
  readonly values = new Map<string, Revision>();
  readonly #stop = new AbortController();
  readonly #reading: Promise<void>;
  #waiting: { readonly revision: Revision; readonly resolve: () => void } | undefined;
  #last: Revision = 0;

  constructor(store: Store, range: KeyRange, from: Revision) {
    this.#reading = this.#read(store, range, from);
  }

  /** Resolves when everything up to `revision` has been delivered; rejects when the watch fails. */
  async reached(revision: Revision): Promise<void> {
    if (this.#last >= revision) return;
    const reached = new Promise<void>((resolve) => (this.#waiting = { revision, resolve }));
    await Promise.race([reached, this.#reading]);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  async #read(store: Store, range: KeyRange, from: Revision): Promise<void> {
    for await (const batch of store.watch(range, { from, signal: this.#stop.signal })) {
      for (const event of batch.events) {
        const revision = event.type === 'put' ? event.entry.modRevision : event.revision;
        if (revision <= this.#last) throw new Error(`Revision ${revision} came after ${this.#last}`);
        if (event.type === 'put') this.values.set(text(event.entry) ?? '', revision);
      }
      this.#last = batch.revision;
      if (this.#waiting !== undefined && this.#last >= this.#waiting.revision) this.#waiting.resolve();
    }
  }
}
