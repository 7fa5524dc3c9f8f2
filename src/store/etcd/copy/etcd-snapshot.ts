import type { Clock } from '../../../base/index.ts';
import { prefixRange } from '../../key-range.ts';
import type { Snapshot, SnapshotEntry, SnapshotHead } from '../../snapshot/snapshot.ts';
import { toStoreError } from '../etcd-errors.ts';
import { EtcdStore, type EtcdStoreOptions } from '../etcd-store.ts';
import { LEASE_TIME_TO_LIVE } from '../messages/methods.ts';

/** What a cluster keeps; other keys of an etcd are not its own. */
export const CLUSTER_KEYS = prefixRange('/registry/');

/** Deadlines of leases that are remembered: those of one page of events and far more. */
const MAX_LEASES = 10_000;

/**
 * A snapshot of what a cluster keeps in an etcd: all keys under the prefix at one revision, read page by page, and when those
 * with leases are to be deleted.
 *
 * An etcd that is compacted while it is read, which takes five minutes by default, answers `Compacted`.
 */
export async function snapshotEtcd(options: EtcdStoreOptions): Promise<Snapshot> {
  const store = new EtcdStore(options);
  try {
    const { clock, prefix } = options;
    const revision = await store.revision();
    const head: SnapshotHead = {
      revision,
      isOfStopped: false,
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

/** When leases end, asked once each. */
class LeaseDeadlines {
  readonly #store: EtcdStore;
  readonly #clock: Clock;
  readonly #known = new Map<bigint, number>();

  constructor(store: EtcdStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** In milliseconds since the Unix epoch; a lease that has ended since the revision that is read ends now. */
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
