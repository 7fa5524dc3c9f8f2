import { type Clock, type Duration, type Logger, type Random } from '../../base/index.ts';
import { Expiry } from '../mvcc/expiry.ts';
import type { Mvcc, MvccOptions } from '../mvcc/mvcc.ts';
import { conditionsHold, recordOf, type RevisionRecord } from '../mvcc/revision-record.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import type { CommitResult, Entry, HealthReporting, Operation, Revision, Transaction } from '../store.ts';
import { checkTransaction, type TransactionLimits } from '../transaction-check.ts';
import type { Checkpointer } from './checkpointer.ts';
import { GroupCommit } from './group-commit.ts';
import type { LogWriter } from './log-writer.ts';
import { Pending } from './pending.ts';

export interface DurableStoreOptions extends MvccOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  readonly limits?: TransactionLimits;
  /** Whether writes wait until they are on disk; default true. Without it, a power failure loses the last writes. */
  readonly syncs?: boolean;
  /** Size of a log segment; default 16 MiB. */
  readonly segmentBytes?: number;
  /** How much obsolete log triggers a checkpoint; default 16 MiB. */
  readonly checkpointAfterBytes?: number;
  /** Interval after which less obsolete log triggers a checkpoint; default 5 minutes. */
  readonly checkpointInterval?: Duration;
}

/** The parts of an open store, as assembled by `openDurableStore`. */
export interface DurableParts {
  readonly mvcc: Mvcc;
  readonly writer: LogWriter;
  readonly checkpointer: Checkpointer;
  readonly lock: AsyncDisposable | undefined;
  readonly log: Logger;
}

/**
 * A store in memory with a log on disk.
 *
 * Guarantees: a write becomes visible to readers and watchers, and is acknowledged, only when it is on disk, so a crash
 * never takes back what a client has seen. A transaction queued behind others is checked as if they had been written.
 * After a failed sync, reads continue and writes are refused until the store is reopened.
 */
export class DurableStore extends MvccStore implements HealthReporting {
  readonly #options: DurableStoreOptions;
  readonly #parts: DurableParts;
  readonly #mvcc: Mvcc;
  readonly #pending: Pending;
  readonly #queue: GroupCommit;
  readonly #expiry: Expiry;
  #nextRevision: Revision;
  #closing: Promise<void> | undefined;

  /** Use `openDurableStore`. */
  constructor(parts: DurableParts, options: DurableStoreOptions) {
    const { mvcc } = parts;
    super(mvcc);
    this.#parts = parts;
    this.#options = options;
    this.#mvcc = mvcc;
    this.#nextRevision = mvcc.revision + 1;
    this.#pending = new Pending((key) => mvcc.get(key));
    this.#queue = new GroupCommit(parts.writer, {
      clock: options.clock,
      log: parts.log,
      nextRevision: () => this.#nextRevision,
      onReset: () => this.#forgetPending(),
      onNewSegment: () => parts.checkpointer.consider(),
    });
    const { clock } = options;
    this.#expiry = new Expiry({ clock, deadlines: mvcc.deadlines, expire: (keys) => this.#expire(keys) });
    this.#expiry.arm();
  }

  async commit(transaction: Transaction, options: { readonly signal?: AbortSignal } = {}): Promise<CommitResult> {
    options.signal?.throwIfAborted();
    this.open();
    checkTransaction(transaction, this.#options.limits ?? {});
    const lookUp = (key: string): Entry | undefined => this.#pending.get(key);
    if (!conditionsHold(transaction.conditions, lookUp)) {
      const current = transaction.conditions.map(({ key }) => lookUp(key));
      return this.#afterPending(transaction.conditions, () => ({ ok: false, revision: this.#mvcc.revision, current }));
    }
    const record = this.#recordOf(transaction.operations);
    if (record === undefined) {
      const keys = [...transaction.conditions, ...transaction.operations];
      return this.#afterPending(keys, () => ({ ok: true, revision: this.#mvcc.revision }));
    }
    return this.#write(record);
  }

  async compact(revision: Revision): Promise<void> {
    const mvcc = this.open();
    if (revision <= mvcc.floor) return;
    if (revision > mvcc.revision) mvcc.compact(revision); // throws
    const compact = (): void => {
      mvcc.compact(revision);
      this.#parts.checkpointer.consider();
    };
    await this.#queued(compact, (frame) => frame.addCompaction(revision));
  }

  async checkHealth(): Promise<void> {
    this.open();
    try {
      await this.#parts.writer.expectInPlace();
    } catch (cause) {
      throw this.#queue.fail(cause);
    }
    await this.#queue.check();
  }

  /** Writes a checkpoint now, whether or not one is due. */
  async checkpoint(): Promise<void> {
    this.open();
    await this.#parts.checkpointer.write();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { writer, checkpointer, lock } = this.#parts;
    this.#expiry[Symbol.dispose]();
    await this.#mvcc.close();
    await this.#queue.drained();
    await checkpointer.close();
    const isClean = await this.#queued(undefined, (frame) => frame.addClose()).then(
      () => true,
      () => false, // a failing disk was already reported
    );
    await this.#queue.drained();
    await writer.close({ isClean }).catch(() => undefined); // everything acknowledged is on the disk
    await lock?.[Symbol.asyncDispose]();
  }

  #recordOf(operations: readonly Operation[]): RevisionRecord | undefined {
    const timeMs = this.#options.clock.now();
    return recordOf(operations, { revision: this.#nextRevision, timeMs, lookUp: (key) => this.#pending.get(key) });
  }

  #write(record: RevisionRecord): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      const refusal = this.#queue.refusal;
      if (refusal !== undefined) throw refusal;
      const onDisk = (): void => {
        this.#pending.remove(record);
        this.#mvcc.append(record);
        this.#expiry.arm();
        this.#parts.checkpointer.noteWrite();
        resolve({ ok: true, revision: record.revision });
      };
      this.#queue.add({ onDisk, onFailure: reject }, (frame) => frame.addTransaction(record));
      this.#pending.add(record);
      this.#nextRevision += 1;
    });
  }

  /** Answers immediately, or, if the answer depends on writes in flight, once those are on disk. */
  async #afterPending(about: readonly { readonly key: string }[], answer: () => CommitResult): Promise<CommitResult> {
    const isAffected = about.some(({ key }) => this.#pending.has(key));
    if (isAffected) await this.#queued();
    return answer();
  }

  /** Resolves once everything queued now, and what `encode` adds, is on disk and `apply` was called. */
  #queued(apply?: () => void, encode?: Parameters<GroupCommit['add']>[1]): Promise<void> {
    return new Promise((resolve, reject) => {
      const refusal = this.#queue.refusal;
      if (refusal !== undefined) throw refusal;
      const onDisk = (): void => {
        apply?.();
        resolve();
      };
      this.#queue.add({ onDisk, onFailure: reject }, encode);
    });
  }

  async #expire(keys: readonly string[]): Promise<boolean> {
    const due = keys.filter((key) => !this.#pending.has(key)); // a key with a write in flight is about to get a new deadline
    const record = this.#recordOf(due.map((key) => ({ type: 'delete', key })));
    if (record === undefined) return true;
    return this.#write(record).then(
      () => true,
      () => false,
    );
  }

  #forgetPending(): void {
    this.#pending.clear();
    this.#nextRevision = this.#mvcc.revision + 1;
  }
}
