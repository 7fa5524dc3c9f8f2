import type { Clock, Logger, Random } from '../../base/index.ts';
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
  /** Whether writes wait until the disk has them; yes unless given. Without, a machine that loses power loses the last ones. */
  readonly syncs?: boolean;
  /** How long a file of the log gets; 16 MiB unless given. */
  readonly segmentBytes?: number;
  /** How much of the log must have become superfluous before a checkpoint is written; 16 MiB unless given. */
  readonly checkpointAfterBytes?: number;
  /** After how long a checkpoint is written even if it makes less superfluous; 5 minutes unless given. */
  readonly checkpointIntervalMs?: number;
}

/** What an open store is made of, as `openDurableStore` puts it together. */
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
 * Guarantees: a write becomes visible, to readers and watchers alike, only when it is on the disk, and is acknowledged then;
 * so nobody ever sees what a crash could take back. Transactions queued behind others reckon with them as if they had been
 * written. After a failed sync reads go on and writes are refused until the store is opened anew.
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
    if (revision > mvcc.revision) mvcc.compact(revision); // refuses
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

  /** Writes a checkpoint now, whether it is worth it or not. */
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
      () => false, // a failing disk has been told of
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

  /** Answers at once, or, if the answer tells of writes that are still on their way, when those are on the disk. */
  async #afterPending(about: readonly { readonly key: string }[], answer: () => CommitResult): Promise<CommitResult> {
    const isAffected = about.some(({ key }) => this.#pending.has(key));
    if (isAffected) await this.#queued();
    return answer();
  }

  /** Resolves once all that is queued now, and what `encode` adds, is on the disk and `apply` was called. */
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
    const due = keys.filter((key) => !this.#pending.has(key)); // what is being written has another deadline soon
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
