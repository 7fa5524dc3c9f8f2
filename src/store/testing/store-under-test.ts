import { expect } from 'vitest';
import { isStoreError, type StoreFailure } from '../errors.ts';
import type { KeyRange, Operation, Revision, Store, StoreEvent, WatchBatch, WatchOptions } from '../store.ts';
import { text } from './text-values.ts';

export { bytes, del, put, text } from './text-values.ts';

/** What a test may require of its store. */
export interface StoreTestOptions {
  readonly limits?: { readonly maxTransactionBytes?: number; readonly maxOperations?: number };
  readonly watch?: { readonly maxQueued?: number; readonly maxQueuedBytes?: number };
}

/** A store for one test: a separate one, or a separate prefix of a shared one. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** Prefix of the test's keys. There may be other keys, but they do not change during the test. */
  readonly prefix: string;
  /** Advances the time by which the store expires keys. */
  advance(ms: number): Promise<void>;
}

export type OpenStoreUnderTest = (options?: StoreTestOptions) => Promise<StoreUnderTest>;

/** Writes without conditions and returns the revision. */
export async function write(store: Store, ...operations: Operation[]): Promise<Revision> {
  const result = await store.commit({ conditions: [], operations });
  expect(result.ok).toBe(true);
  return result.revision;
}

/** An event as a line: `put /a=1@5 was 0@4`. */
export function say(event: StoreEvent): string {
  const was = event.previous === undefined ? '' : ` was ${text(event.previous)}@${event.previous.modRevision}`;
  if (event.type === 'delete') return `delete ${event.key}@${event.revision}${was}`;
  return `put ${event.entry.key}=${text(event.entry)}@${event.entry.modRevision}${was}`;
}

/** Reads a watch, from the first call on. */
export class WatchReader {
  readonly #stop = new AbortController();
  readonly #iterator: AsyncIterator<WatchBatch>;

  constructor(store: Store, range: KeyRange, from: Revision, concerns?: WatchOptions['concerns']) {
    const options = { from, signal: this.#stop.signal, ...(concerns === undefined ? {} : { concerns }) };
    this.#iterator = store.watch(range, options)[Symbol.asyncIterator]();
  }

  async batch(): Promise<WatchBatch> {
    const result = await this.#iterator.next();
    if (result.done === true) throw new Error('The watch has ended');
    return result.value;
  }

  next(): Promise<IteratorResult<WatchBatch>> {
    return this.#iterator.next();
  }

  /** The events up to and including `revision`, as lines, however they are batched. */
  async until(revision: Revision): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const batch = await this.batch();
      lines.push(...batch.events.map(say));
      if (batch.revision >= revision) return lines;
    }
  }

  abort(): void {
    this.#stop.abort();
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#iterator.return?.();
  }
}

export async function expectFailure(reason: StoreFailure, work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error, `expected a StoreError ${reason}`).toBeInstanceOf(Error);
  expect(isStoreError(error, reason), `expected a StoreError ${reason}, got ${String(error)}`).toBe(true);
}
