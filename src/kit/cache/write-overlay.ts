import {
  type CountedChange,
  type Index,
  Indexer,
  type IndexReader,
  type KubernetesObject,
  type Observed,
} from '../../client/index.ts';

/** The cache below the overlay, and how far the watch has come. */
export interface WatchedCache<T extends KubernetesObject> {
  readonly cache: IndexReader<T>;
  readonly health: { readonly resourceVersion: string; readonly fetches: number };
}

/** An own write that the watch may not have delivered yet. */
type Written<T extends KubernetesObject> = { readonly resourceVersion: string; readonly fetches: number } & (
  | { readonly type: 'object'; readonly object: Observed<T> }
  /** `isCertain`: the server said so. Otherwise the object appears to be gone, and a newer state of it shows that it is not. */
  | { readonly type: 'gone'; readonly uid: string; readonly isCertain: boolean }
);

export interface WriteOverlayOptions<T extends KubernetesObject> {
  readonly capacity?: number;
  /**
   * Called for an own object that is gone without ever having been in the cache, because it was created and deleted while
   * the watch was interrupted. No other handler learns of it. May also be called for an object that the watch did deliver.
   */
  onVanished?(object: Observed<T>): void;
}

const DEFAULT_CAPACITY = 10_000;
const DIGITS = /^[1-9][0-9]*$/;

/**
 * Own writes that are newer than the cache.
 *
 * An entry is dropped when the watch has passed its version: then the cache has that version or a newer one. Deletions have
 * no version; they hide the object with their uid until the cache has lost it.
 *
 * When `capacity` is reached, the oldest entry is dropped, so that a dead watch does not fill the memory; reads of that
 * object are then as old as the cache.
 */
export class WriteOverlay<T extends KubernetesObject> {
  readonly #below: WatchedCache<T>;
  readonly #options: WriteOverlayOptions<T>;
  /** Oldest first. */
  readonly #written = new Map<string, Written<T>>();
  /** The objects of `#written`, indexed as in the cache. */
  readonly #objects = new Indexer<T>();

  constructor(below: WatchedCache<T>, options: WriteOverlayOptions<T> = {}) {
    this.#below = below;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#written.size === 0;
  }

  /** Records the state of an object that the server has answered with. */
  put(key: string, object: Observed<T>): void {
    const { resourceVersion, uid } = object.metadata;
    const { health } = this.#below;
    if (!isOrdered(resourceVersion) || isReached(health.resourceVersion, resourceVersion)) return;
    const known = this.#written.get(key);
    const isOutrun =
      known !== undefined &&
      (known.type === 'gone' && known.isCertain && known.uid === uid
        ? true // an answer that arrives after the deletion
        : isNewer(known.resourceVersion, resourceVersion));
    if (isOutrun) return;
    this.#set(key, { type: 'object', object, resourceVersion, fetches: health.fetches });
  }

  /** Records that the object with this uid is gone; `resourceVersion` is its last known version. */
  remove(
    key: string,
    gone: { readonly uid: string; readonly resourceVersion: string; readonly isCertain: boolean },
  ): void {
    const { uid, resourceVersion, isCertain } = gone;
    if (!isOrdered(resourceVersion)) return;
    const known = this.#written.get(key);
    const isAnother = known?.type === 'object' && known.object.metadata.uid !== uid;
    if (isAnother && isNewer(known.resourceVersion, resourceVersion)) return;
    this.#set(key, { type: 'gone', uid, resourceVersion, isCertain, fetches: this.#below.health.fetches });
  }

  /** The current object of a key, given the one in the cache. */
  resolve(key: string, cached: Observed<T> | undefined): Observed<T> | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if (!this.#isCurrent(written, cached)) {
      this.#retire(key, written, cached);
      return cached;
    }
    if (written.type === 'object') return written.object;
    const isAnother = cached !== undefined && cached.metadata.uid !== written.uid;
    return isAnother && isNewer(cached.metadata.resourceVersion, written.resourceVersion) ? cached : undefined;
  }

  /** Own writes: all, or those under a value of an index. Some may be outdated; `resolve` decides. */
  objects(lookup?: { readonly index: Index<T>; readonly value: string }): readonly Observed<T>[] {
    return lookup === undefined ? this.#objects.list() : this.#objects.byIndex(lookup.index, lookup.value);
  }

  /** The differences between the cache and own writes. */
  *changes(): Generator<CountedChange<T>> {
    for (const key of this.#written.keys()) {
      const cached = this.#below.cache.get(key);
      const written = this.resolve(key, cached);
      if (written !== cached) yield { before: cached, after: written };
    }
  }

  /** Drops all entries that the watch has passed. */
  sweep(): void {
    for (const [key, written] of this.#written) {
      const cached = this.#below.cache.get(key);
      if (!this.#isCurrent(written, cached)) this.#retire(key, written, cached);
    }
  }

  /** Whether the write is still newer than the cache. */
  #isCurrent(written: Written<T>, cached: Observed<T> | undefined): boolean {
    const { health } = this.#below;
    // The second list since the write began after it, so it includes the write, or the server was restored to an earlier
    // state.
    if (health.fetches >= written.fetches + 2) return false;
    const isPassed = isReached(health.resourceVersion, written.resourceVersion);
    if (written.type === 'object') return !isPassed;
    if (cached?.metadata.uid !== written.uid) return !isPassed;
    return written.isCertain || !isNewer(cached.metadata.resourceVersion, written.resourceVersion);
  }

  #set(key: string, written: Written<T>): void {
    this.#trim();
    this.#written.delete(key);
    this.#written.set(key, written);
    if (written.type === 'object') this.#objects.set(written.object);
    else this.#objects.delete(key);
  }

  /** Drops entries that the watch has passed, oldest first. */
  #trim(): void {
    const { capacity = DEFAULT_CAPACITY } = this.#options;
    for (const [key, written] of this.#written) {
      const cached = this.#below.cache.get(key);
      if (!this.#isCurrent(written, cached)) this.#retire(key, written, cached);
      else if (this.#written.size >= capacity) this.#forget(key);
      else return;
    }
  }

  /** Drops an entry that the watch has passed. */
  #retire(key: string, written: Written<T>, cached: Observed<T> | undefined): void {
    this.#forget(key);
    if (written.type !== 'object' || cached?.metadata.uid === written.object.metadata.uid) return;
    this.#options.onVanished?.(written.object);
  }

  #forget(key: string): void {
    this.#written.delete(key);
    this.#objects.delete(key);
  }
}

/** Whether a watch at this position has delivered the version. */
function isReached(position: string, resourceVersion: string): boolean {
  return isOrdered(position) && !isNewer(resourceVersion, position);
}

/** Whether versions can be compared: positive integers, as all current API servers use. */
function isOrdered(resourceVersion: string | undefined): resourceVersion is string {
  return resourceVersion !== undefined && DIGITS.test(resourceVersion);
}

/** Whether version `left` comes after `right`. Both are positive integers of any length. */
function isNewer(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length;
}
