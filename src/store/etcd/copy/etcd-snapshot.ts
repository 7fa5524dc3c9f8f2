import type { Clock } from '../../../base/index.ts';
import { prefixRange } from '../../key-range.ts';
import type { Snapshot, SnapshotEntry, SnapshotHead } from '../../snapshot/snapshot.ts';
import { toStoreError } from '../etcd-errors.ts';
import { EtcdStore, type EtcdStoreOptions } from '../etcd-store.ts';
import { LEASE_TIME_TO_LIVE } from '../messages/methods.ts';

/** The keys of a cluster; an etcd may hold others. */
export const CLUSTER_KEYS = prefixRange('/registry/');

/** Max lease deadlines remembered; far more than one page of events needs. */
const MAX_LEASES = 10_000;

/**
 * A snapshot of a cluster's keys in an etcd: all keys under the prefix at one revision, read page by page, with the
 * deadlines of those that have leases.
 *
 * If etcd compacts that revision during the read (five minutes by default), reading fails with `Compacted`.
 */
export async function snapshotEtcd(options: EtcdStoreOptions): Promise<Snapshot> {
  const store = new EtcdStore(options);
  try {
    const { clock, prefix } = options;
    const revision = await store.revision();
    const head: SnapshotHead = {
      revision,
      isOfClosedStore: false,
      form: 'etcd',
      takenMs: clock.now(),
      ...(prefix === undefined ? {} : { etcdPrefix: prefix }),
    };
    return { head, batches: batchesOf(store, revision), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function* batchesOf(
  store: EtcdStore,
  revision: number,
): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
  const deadlines = new LeaseDeadlines(store, store.clock);
  for await (const { entries, leases } of store.pages(CLUSTER_KEYS, { at: revision })) {
    const batch: SnapshotEntry[] = [];
    for (const entry of entries) {
      const lease = leases.get(entry.key);
      batch.push({ entry, deadlineMs: lease === undefined ? 0 : await deadlines.of(lease) });
    }
    yield batch;
  }
}

/** Deadlines of leases; each lease is looked up once. */
class LeaseDeadlines {
  readonly #store: EtcdStore;
  readonly #clock: Clock;
  readonly #known = new Map<bigint, number>();

  constructor(store: EtcdStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * In milliseconds since the Unix epoch; a lease that has expired since the revision being read counts as expiring
   * now.
   */
  async of(id: bigint): Promise<number> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_LEASES) this.#known.clear();
    const deadlineMs = this.#clock.now() + (await this.#secondsLeft(id)) * 1000;
    this.#known.set(id, deadlineMs);
    return deadlineMs;
  }

  async #secondsLeft(id: bigint): Promise<number> {
    try {
      const { ttlSeconds = 0 } = await this.#store.client.call(LEASE_TIME_TO_LIVE, { id }, { isRepeatable: true });
      return Math.max(ttlSeconds, 0);
    } catch (error) {
      throw toStoreError(error, { action: 'read a lease' });
    }
  }
}
