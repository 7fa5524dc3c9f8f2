import { type Clock, Heap, type HeapEntry } from '../../../base/index.ts';
import { StoreError } from '../../errors.ts';
import type { Revision } from '../../store.ts';

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** More than so many are refused: by then the mirror has not moved for long. */
const MAX_WAITERS = 100_000;

/** Those who wait until the mirror has come to a revision. */
export class RevisionWaiters {
  readonly #clock: Clock;
  readonly #waiters = new Heap<Waiter>((left, right) => left.revision < right.revision);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects with what `onTimeout` makes when it takes longer than `timeoutMs`. */
  wait(revision: Revision, options: { readonly timeoutMs: number; readonly onTimeout: () => Error }): Promise<void> {
    if (this.#waiters.size >= MAX_WAITERS) {
      const message = `Cannot wait for revision ${revision}: ${MAX_WAITERS} requests wait already`;
      return Promise.reject(new StoreError('Unavailable', message));
    }
    return new Promise((resolve, reject) => {
      const timer = this.#clock.timer(options.timeoutMs, () => {
        this.#waiters.remove(entry);
        reject(options.onTimeout());
      });
      const entry: HeapEntry<Waiter> = this.#waiters.push({
        revision,
        resolve: () => {
          timer[Symbol.dispose]();
          resolve();
        },
        reject: (error) => {
          timer[Symbol.dispose]();
          reject(error);
        },
      });
    });
  }

  /** The mirror has come to `revision`. */
  release(revision: Revision): void {
    for (
      let next = this.#waiters.peek();
      next !== undefined && next.revision <= revision;
      next = this.#waiters.peek()
    ) {
      this.#waiters.pop();
      next.resolve();
    }
  }

  rejectAll(error: Error): void {
    for (let next = this.#waiters.pop(); next !== undefined; next = this.#waiters.pop()) next.reject(error);
  }
}
