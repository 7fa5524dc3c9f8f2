import { compareUtf8 } from '../../../base/index.ts';
import { StoreError } from '../../errors.ts';
import type { Snapshot, SnapshotEntry } from '../../snapshot/snapshot.ts';
import type { Entry, Revision } from '../../store.ts';
import { toStoreError } from '../etcd-errors.ts';
import { EtcdStore, type EtcdStoreOptions } from '../etcd-store.ts';
import { type KeyNames, keyNames } from '../key-names.ts';
import type { RequestOp } from '../messages/kv.ts';
import { TXN } from '../messages/methods.ts';
import type { Page } from '../range-pages.ts';
import { CopyCheck } from './copy-check.ts';
import { CopyMark } from './copy-mark.ts';
import { DeadlineLeases } from './deadline-leases.ts';
import { CLUSTER_KEYS } from './etcd-snapshot.ts';

export interface FillOptions extends EtcdStoreOptions {
  /** The source of the snapshot: an unfinished copy continues when it is from the same source. */
  readonly from: string;
  /** Min distance by which etcd's revision is raised above the snapshot's before anything is written; default 0. */
  readonly bumpRevision?: number;
  /** Whether an existing value is equivalent; default: its bytes are the same. */
  readonly isSame?: (key: string, wanted: Uint8Array, found: Uint8Array) => boolean | Promise<boolean>;
  /**
   * Whether nothing was written since the snapshot. If so the copy is finished, and a later one does not continue it.
   */
  readonly isFinal: () => Promise<boolean>;
}

export interface FillReport {
  readonly objects: number;
  /** How many of them were written now; the others were there already. */
  readonly written: number;
  /** Keys that an earlier part of the copy had written and the source no longer has. */
  readonly deleted: number;
  readonly revision: Revision;
  readonly isFinal: boolean;
}

const MAX_OPERATIONS = 100;
const MAX_TRANSACTION_BYTES = 1024 * 1024;
const MAX_CONCURRENT_TRANSACTIONS = 4;

/**
 * Writes a snapshot into an etcd that has no keys under the prefix, or those of an unfinished copy from the same
 * source.
 *
 * Revision numbers cannot be preserved in etcd. Its revision is raised above the snapshot's before the first object is
 * written, and all history is compacted at the end: a client that presents an earlier revision gets `Compacted`, and
 * never mistakes one revision for another. Everything written is read back and compared before the copy counts as
 * finished.
 */
export async function fillEtcd(snapshot: Snapshot, options: FillOptions): Promise<FillReport> {
  await using store = new EtcdStore(options);
  const mark = new CopyMark(store.client, options);
  const isBegun = await mark.isBegun();
  const { entries } = await store.range(CLUSTER_KEYS, { limit: 1 });
  if (entries.length > 0 && !isBegun) {
    const where = `keys that begin with ${JSON.stringify(keyNames(options.prefix).toEtcd('/registry/'))}`;
    throw new StoreError('Unavailable', `Cannot copy into this etcd: it has ${where} already`);
  }
  const revision = snapshot.head.revision + (options.bumpRevision ?? 0);
  const begunAt = await mark.raiseTo(revision);
  const filling = new Filling(store, { ...options, begunAt });
  for await (const batch of snapshot.batches) await filling.write(batch);
  await filling.end();
  await filling.check.compare(store.pages(CLUSTER_KEYS), options.clock.now());
  const isFinal = await options.isFinal();
  await mark.compact(await store.revision());
  if (isFinal) await mark.remove(); // the last write: a copy without its mark is complete, history included
  return { ...filling.counts, revision: await store.revision(), isFinal };
}

/** The writing part of a copy. It reads etcd's existing keys in the same order alongside. */
class Filling {
  readonly check = new CopyCheck();
  readonly #store: EtcdStore;
  readonly #options: FillOptions;
  readonly #names: KeyNames;
  readonly #leases: DeadlineLeases;
  readonly #found: AsyncGenerator<Page, void, undefined>;
  #page: Page | undefined;
  #at = 0;
  #objects = 0;
  #written = 0;
  #deleted = 0;

  constructor(store: EtcdStore, options: FillOptions & { readonly begunAt: Revision }) {
    this.#store = store;
    this.#options = options;
    this.#names = keyNames(options.prefix);
    this.#leases = new DeadlineLeases(store.client, options);
    this.#found = store.pages(CLUSTER_KEYS, { at: options.begunAt });
  }

  get counts(): Pick<FillReport, 'objects' | 'written' | 'deleted'> {
    return { objects: this.#objects, written: this.#written, deleted: this.#deleted };
  }

  async write(batch: readonly SnapshotEntry[]): Promise<void> {
    const operations: RequestOp[] = [];
    for (const { entry, deadlineMs } of batch) {
      if (deadlineMs !== 0 && deadlineMs <= this.#options.clock.now()) continue; // its deadline has passed meanwhile
      const { key, value } = entry;
      operations.push(...(await this.#deletionsBefore(key)));
      this.#objects += 1;
      const valueThere = await this.#valueThere(entry, deadlineMs);
      const lease = deadlineMs === 0 ? undefined : { id: await this.#leases.take(deadlineMs), deadlineMs };
      this.check.expect(key, valueThere ?? value, lease);
      if (valueThere !== undefined) continue;
      this.#written += 1;
      operations.push({
        put: { key: this.#names.toEtcd(key), value, ...(lease === undefined ? {} : { lease: lease.id }) },
      });
    }
    await this.#commit(operations);
  }

  /** Deletes what is left of an earlier part of the copy. */
  async end(): Promise<void> {
    await this.#commit(await this.#deletionsBefore(undefined));
  }

  /** The value in etcd, if it need not be written again. */
  async #valueThere({ key, value }: Entry, deadlineMs: number): Promise<Uint8Array | undefined> {
    const found = await this.#next();
    if (found?.key !== key) return undefined;
    this.#at += 1;
    if (deadlineMs !== 0 || this.#page?.leases.has(key) === true) return undefined;
    const { isSame = (_key, wanted, there) => Buffer.compare(wanted, there) === 0 } = this.#options;
    return (await isSame(key, value, found.value)) ? found.value : undefined;
  }

  async #deletionsBefore(key: string | undefined): Promise<RequestOp[]> {
    const operations: RequestOp[] = [];
    for (;;) {
      const found = await this.#next();
      if (found === undefined || (key !== undefined && compareUtf8(found.key, key) >= 0)) return operations;
      this.#at += 1;
      this.#deleted += 1;
      operations.push({ deleteRange: { key: this.#names.toEtcd(found.key) } });
    }
  }

  /** The first entry in etcd that was not visited yet. */
  async #next(): Promise<Entry | undefined> {
    while (this.#page === undefined || this.#at >= this.#page.entries.length) {
      const { value: page } = await this.#found.next();
      if (page === undefined) return undefined;
      this.#page = page;
      this.#at = 0;
    }
    return this.#page.entries[this.#at];
  }

  async #commit(operations: readonly RequestOp[]): Promise<void> {
    const transactions = inTransactions(operations);
    for (let at = 0; at < transactions.length; at += MAX_CONCURRENT_TRANSACTIONS) {
      const sent = transactions.slice(at, at + MAX_CONCURRENT_TRANSACTIONS).map((success) => this.#send(success));
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
  }

  async #send(success: readonly RequestOp[]): Promise<void> {
    try {
      await this.#store.client.call(TXN, { success }, { isRepeatable: true });
    } catch (error) {
      throw toStoreError(error, { action: 'write to etcd' });
    }
  }
}

function inTransactions(operations: readonly RequestOp[]): RequestOp[][] {
  const transactions: RequestOp[][] = [];
  let bytes = Infinity;
  for (const operation of operations) {
    const size = 100 + (operation.put?.value?.byteLength ?? 0);
    const last = transactions.at(-1);
    if (last === undefined || last.length >= MAX_OPERATIONS || bytes + size > MAX_TRANSACTION_BYTES) {
      transactions.push([operation]);
      bytes = size;
    } else {
      last.push(operation);
      bytes += size;
    }
  }
  return transactions;
}
