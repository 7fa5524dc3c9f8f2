import type { Clock, Random } from '../../base/index.ts';
import type { EtcdClient } from './etcd-client.ts';
import { isLeaseAlreadyGranted } from './etcd-errors.ts';
import { LEASE_GRANT } from './messages/methods.ts';

/** As in kube-apiserver, a lease is reused during a twentieth of its time, but no longer than a minute … */
const REUSE_SHARE = 0.05;
const MAX_REUSE_SECONDS = 60;
/** … and for at most this many keys, since etcd deletes all keys of a lease at once. */
const MAX_KEYS = 1000;
/** Max different times to live in use at once; a forgotten lease is just not reused. */
const MAX_BUCKETS = 64;

interface Bucket {
  readonly id: Promise<number>;
  /** On the monotonic clock. The lease expires at this time or later. */
  readonly expiresMs: number;
  keys: number;
}

/**
 * The leases that make keys expire. Keys with the same time to live that are written about the same time share one,
 * because leases are expensive in etcd; in return they live up to 5 % longer.
 */
export class Leases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Keyed by time to live. */
  readonly #buckets = new Map<number, Bucket>();

  constructor(client: EtcdClient, options: { readonly clock: Clock; readonly random: Random }) {
    this.#client = client;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  /** Returns the id of a lease for `keys` more keys that lasts at least `ttlSeconds` from now. */
  async take(ttlSeconds: number, keys: number): Promise<number> {
    const ttl = Math.ceil(ttlSeconds);
    const known = this.#buckets.get(ttl);
    const nowMs = this.#clock.monotonic();
    if (known !== undefined && nowMs + ttl * 1000 <= known.expiresMs && known.keys + keys <= MAX_KEYS) {
      known.keys += keys;
      return known.id;
    }
    const grantedSeconds = ttl + Math.min(Math.floor(ttl * REUSE_SHARE), MAX_REUSE_SECONDS);
    const bucket: Bucket = { id: this.#grant(grantedSeconds), expiresMs: nowMs + grantedSeconds * 1000, keys };
    this.#keep(ttl, bucket);
    try {
      return await bucket.id;
    } catch (error) {
      if (this.#buckets.get(ttl) === bucket) this.#buckets.delete(ttl);
      throw error;
    }
  }

  /** Call when etcd no longer knows a lease: no earlier lease is reused. */
  forgetAll(): void {
    this.#buckets.clear();
  }

  #keep(ttl: number, bucket: Bucket): void {
    this.#buckets.delete(ttl);
    this.#buckets.set(ttl, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_BUCKETS) break;
      this.#buckets.delete(oldest);
    }
  }

  /** The id is chosen here, so that retrying after a lost answer grants one lease, not two. */
  async #grant(ttlSeconds: number): Promise<number> {
    const id = 1 + this.#random.int(Number.MAX_SAFE_INTEGER - 1);
    try {
      await this.#client.call(LEASE_GRANT, { ttlSeconds, id }, { isRepeatable: true });
    } catch (error) {
      if (!isLeaseAlreadyGranted(error)) throw error;
    }
    return id;
  }
}
