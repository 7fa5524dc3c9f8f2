import type { Duplex } from 'node:stream';
import { BoundedQueue, type Clock, onAbort, type Random } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { MirroredStore } from '../mirror/mirrored-store.ts';
import type { WatchLimits } from '../mvcc/watch-hub.ts';
import type {
  CommitResult,
  Entry,
  KeyRange,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Revision,
  Transaction,
  WatchBatch,
  WatchOptions,
} from '../store.ts';
import { checkTransaction, type TransactionLimits } from '../transaction-check.ts';
import { ChannelWatch } from './channel-watch.ts';
import { type FrameBody, readFrames } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import {
  ANSWER,
  readBatch,
  readCommit,
  readFailure,
  readOptional,
  readPart,
  REQUEST,
  writeTransaction,
} from './messages.ts';

export interface ChannelStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: TransactionLimits;
  readonly watch?: WatchLimits;
  /** The store's revision, if it can be read without a request. */
  readonly newest?: () => Revision | undefined;
}

/** The caller that waits for the answers to one request. */
interface Waiter {
  answer(kind: number, body: FrameBody): void;
  /** No more answers will come: the channel to the other process broke, or this store was disposed of. */
  over(how: 'lost' | 'disposed'): void;
}

/** Max parts of one answer that may wait for their reader; a part is 256 KiB, so memory runs out first. */
const MAX_PARTS = 100_000;

/** A store in another process, which serves it with `serveStore` at the other end of the channel. Nothing is kept here. */
export class ChannelStore implements MirroredStore {
  readonly #channel: Duplex;
  readonly #options: ChannelStoreOptions;
  readonly #frames: FrameWriter;
  /** Keyed by request id. */
  readonly #waiters = new Map<number, Waiter>();
  #lastId = 0;
  #isClosed = false;

  constructor(channel: Duplex, options: ChannelStoreOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#frames = new FrameWriter((bytes) => {
      if (channel.writable) channel.write(bytes);
    });
    readFrames(channel, (kind, id, body) => this.#waiters.get(id)?.answer(kind, body));
    channel.once('close', () => this.#close('lost'));
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get random(): Random {
    return this.#options.random;
  }

  newestNow(): Revision | undefined {
    return this.#isClosed ? undefined : this.#options.newest?.();
  }

  async revision(): Promise<Revision> {
    return this.#ask(REQUEST.revision, {}, (body) => body.number());
  }

  async checkHealth(): Promise<void> {
    await this.#ask(REQUEST.health, {}, () => undefined);
  }

  async get(key: string, { at = NaN, signal }: ReadOptions = {}): Promise<Entry | undefined> {
    return this.#ask(REQUEST.get, { signal, write: (frame) => frame.text(key).number(at) }, readOptional);
  }

  async range(range: KeyRange, options: RangeOptions = {}): Promise<RangeResult> {
    const entries: Entry[] = [];
    let result: RangeResult = { entries, more: false, count: 0, revision: 0 };
    for await (const part of this.pages(range, options)) {
      for (const entry of part.entries) entries.push(entry);
      result = { ...part, entries };
    }
    return result;
  }

  async *pages(range: KeyRange, options: RangeOptions = {}): AsyncGenerator<RangeResult, void, undefined> {
    const { limit = 0, at = NaN, signal } = options;
    signal?.throwIfAborted();
    const parts = new BoundedQueue<RangeResult>(MAX_PARTS);
    const id = this.#send(REQUEST.range, (frame) => frame.text(range.from).text(range.to).number(limit).number(at));
    this.#waiters.set(id, {
      answer: (kind, body) => {
        if (kind === ANSWER.failed) parts.close(readFailure(body));
        else parts.offer(readPart(body));
        if (kind === ANSWER.done) parts.close();
      },
      over: () => parts.close(closed()),
    });
    using _abort = signal === undefined ? undefined : onAbort(signal, () => parts.close(signal.reason as Error));
    try {
      yield* parts;
    } finally {
      this.#waiters.delete(id);
    }
  }

  async commit(transaction: Transaction, { signal }: { readonly signal?: AbortSignal } = {}): Promise<CommitResult> {
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    checkTransaction(transaction, this.#options.limits ?? {});
    return this.#ask(REQUEST.commit, { signal, write: (frame) => writeTransaction(frame, transaction) }, readCommit);
  }

  async *watch(range: KeyRange, options: WatchOptions): AsyncGenerator<WatchBatch, void, undefined> {
    yield* this.openWatch(range, { ...options, hasPrevious: true });
  }

  openWatch(range: KeyRange, options: WatchOptions & { readonly hasPrevious: boolean }): ChannelWatch {
    this.#refuseIfClosed();
    const { from, signal, hasPrevious } = options;
    return new ChannelWatch(range, {
      from,
      signal,
      clock: this.clock,
      limits: this.#options.watch ?? {},
      open: (watch) => {
        const id = this.#send(REQUEST.watch, (frame) =>
          frame
            .text(range.from)
            .text(range.to)
            .number(from)
            .count(hasPrevious ? 1 : 0),
        );
        this.#waiters.set(id, {
          answer: (kind, body) => {
            if (kind === ANSWER.events) watch.receive(readBatch(body), body.size);
            else if (kind === ANSWER.failed) watch.fail(readFailure(body));
            else watch.end();
          },
          over: (how) => (how === 'lost' ? watch.fail(closed()) : watch.end()),
        });
        return { [Symbol.dispose]: () => this.#stop(id) };
      },
      askForProgress: () => void this.requestProgress().catch(() => undefined), // if the channel is closed, that ends the watch
    });
  }

  async requestProgress(): Promise<void> {
    await this.#ask(REQUEST.progress, {}, () => undefined);
  }

  async compact(revision: Revision): Promise<void> {
    await this.#ask(REQUEST.compact, { write: (frame) => frame.number(revision) }, () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close('disposed');
    this.#channel.destroy();
  }

  /** Sends a request that has exactly one answer. */
  async #ask<T>(
    kind: number,
    { signal, write }: { readonly signal?: AbortSignal | undefined; readonly write?: (frame: FrameWriter) => unknown },
    read: (body: FrameBody) => T,
  ): Promise<T> {
    signal?.throwIfAborted();
    const id = this.#send(kind, write);
    let abort: Disposable | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const answer = (answered: number, body: FrameBody): void =>
          answered === ANSWER.failed ? reject(readFailure(body)) : resolve(read(body));
        this.#waiters.set(id, { answer, over: () => reject(closed()) });
        if (signal !== undefined) abort = onAbort(signal, () => reject(signal.reason as Error));
      });
    } finally {
      abort?.[Symbol.dispose]();
      this.#waiters.delete(id);
    }
  }

  /** Sends a request and returns its id. */
  #send(kind: number, write?: (frame: FrameWriter) => unknown): number {
    this.#refuseIfClosed();
    this.#lastId = this.#lastId === 0xffff_ffff ? 1 : this.#lastId + 1;
    const frame = this.#frames.begin(kind, this.#lastId);
    write?.(frame);
    frame.end();
    return this.#lastId;
  }

  #stop(id: number): void {
    if (!this.#waiters.delete(id) || this.#isClosed) return;
    this.#frames.begin(REQUEST.stop, id).end();
  }

  #close(how: 'lost' | 'disposed'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.over(how);
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw closed();
  }
}

function closed(): StoreError {
  return new StoreError('Unavailable', 'Cannot use the store: it is closed');
}
