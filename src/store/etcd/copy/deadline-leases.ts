import type { Clock, Random } from '../../../base/index.ts';
import type { EtcdClient } from '../etcd-client.ts';
import { isLeaseAlreadyGranted, toStoreError } from '../etcd-errors.ts';
import { LEASE_GRANT } from '../messages/methods.ts';

/** Max keys per lease, as in kube-apiserver: etcd deletes all keys of a lease at once. */
const MAX_KEYS = 1000;
/** Max leases remembered for more keys; a forgotten lease is just not used again. */
const MAX_KEPT = 1000;
/** Deadlines are rounded up to the minute, or, when soon, to ten seconds. */
const COARSE_MS = 60_000;
const FINE_MS = 10_000;
const SOON_MS = 600_000;
/** A lease must not expire before its keys are written. */
const MIN_SECONDS = 30;

/** Leases for keys with deadlines: they expire never before the deadline, and at most a minute after it. */
export class DeadlineLeases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Keyed by expiry time. */
  readonly #kept = new Map<number, { readonly id: number; keys: number }>();

  constructor(client: EtcdClient, options: { readonly clock: Clock; readonly random: Random }) {
    this.#client = client;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  async take(deadlineMs: number): Promise<number> {
    const nowMs = this.#clock.now();
    const stepMs = deadlineMs - nowMs < SOON_MS ? FINE_MS : COARSE_MS;
    const endMs = Math.ceil(deadlineMs / stepMs) * stepMs;
    const known = this.#kept.get(endMs);
    if (known !== undefined && known.keys < MAX_KEYS) {
      known.keys += 1;
      return known.id;
    }
    const id = await this.#grant(Math.max(Math.ceil((endMs - nowMs) / 1000), MIN_SECONDS));
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(endMs, { id, keys: 1 });
    return id;
  }

  /** The id is chosen here, so that retrying after a lost answer grants one lease, not two. */
  async #grant(ttlSeconds: number): Promise<number> {
    const id = 1 + this.#random.int(Number.MAX_SAFE_INTEGER - 1);
    try {
      await this.#client.call(LEASE_GRANT, { ttlSeconds, id }, { isRepeatable: true });
    } catch (error) {
      if (!isLeaseAlreadyGranted(error)) throw toStoreError(error, { action: 'get a lease' });
    }
    return id;
  }
}
