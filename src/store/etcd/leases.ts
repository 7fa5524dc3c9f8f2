import type { Clock, Random } from '../../base/index.ts';
import type { EtcdClient } from './etcd-client.ts';
import { isLeaseExisting } from './etcd-errors.ts';
import { LEASE_GRANT } from './messages/methods.ts';

/** As kube-apiserver does it: a lease is used again for a twentieth of its time, but for no longer than a minute … */
const REUSE_SHARE = 0.05;
const MAX_REUSE_SECONDS = 60;
/** … and for no more keys than this, since etcd deletes all keys of a lease in one go. */
const MAX_KEYS = 1000;
/** Times to live in use at once; a lease that is forgotten just is not used again. */
const MAX_BUCKETS = 64;

interface Bucket {
  readonly id: Promise<number>;
  /** On the monotonic clock. It expires later, never earlier. */
  readonly expiresMs: number;
  keys: number;
}

/**
 * The leases that make keys disappear. Keys that are to live equally long and are written about the same time share
 * one, because leases are dear to etcd; they live up to 5 % longer for that.
 */
export class Leases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #random: Random;
  /** By time to live. */
  readonly #buckets = new Map<number, Bucket>();

  constructor(client: EtcdClient, options: { readonly clock: Clock; readonly random: Random }) {
    this.#client = client;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  /** The id of a lease, for so many keys, that lasts at least so long from now. */
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

  /** Leases that etcd does not know any more are not handed out again. */
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

  /** The id is chosen here, so that asking twice because of a lost answer grants one lease, not two. */
  async #grant(ttlSeconds: number): Promise<number> {
    const id = 1 + this.#random.int(Number.MAX_SAFE_INTEGER - 1);
    try {
      await this.#client.call(LEASE_GRANT, { ttlSeconds, id }, { isRepeatable: true });
    } catch (error) {
      if (!isLeaseExisting(error)) throw error;
    }
    return id;
  }
}
