import {
  type CountedChange,
  type Index,
  Indexer,
  type IndexReader,
  type KubernetesObject,
  type Observed,
} from '../../client/index.ts';

/** What lies below the overlay: the cache, and how far the watch has brought it. */
export interface WatchedCache<T extends KubernetesObject> {
  readonly cache: IndexReader<T>;
  readonly health: { readonly resourceVersion: string; readonly fetches: number };
}

/** Something that was written, and that the watch may not have told of yet. */
type Written<T extends KubernetesObject> = { readonly resourceVersion: string; readonly fetches: number } & (
  | { readonly type: 'object'; readonly object: Observed<T> }
  /** `isCertain`: the server said so. Otherwise the object seems to be gone, and a newer state of it would prove us wrong. */
  | { readonly type: 'gone'; readonly uid: string; readonly isCertain: boolean }
);

export interface WriteOverlayOptions<T extends KubernetesObject> {
  readonly capacity?: number;
  /**
   * An object that was written has gone without the cache ever having had it: the watch was interrupted, and its life fell
   * into the gap. Nobody else is told of that. May also be called for one of which the watch did tell.
   */
  onVanished?(object: Observed<T>): void;
}

const DEFAULT_CAPACITY = 10_000;
const DIGITS = /^[1-9][0-9]*$/;

/**
 * What was written through us and is newer than the cache.
 *
 * An entry is forgotten when the watch has passed its version: then the cache has it, or something newer. Deletions have no
 * version of their own; they hide the object of their uid until the cache has lost it.
 *
 * The rule for "full": beyond `capacity` the oldest entry is forgotten, so that a watch which has died does not fill the
 * memory; reads of that object are then as old as the cache.
 */
export class WriteOverlay<T extends KubernetesObject> {
  readonly #below: WatchedCache<T>;
  readonly #options: WriteOverlayOptions<T>;
  /** Oldest first. */
  readonly #written = new Map<string, Written<T>>();
  /** The objects of `#written`, to be looked up as in the cache. */
  readonly #objects = new Indexer<T>();

  constructor(below: WatchedCache<T>, options: WriteOverlayOptions<T> = {}) {
    this.#below = below;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#written.size === 0;
  }

  /** The object is in this state now, or was when the server answered. */
  put(key: string, object: Observed<T>): void {
    const { resourceVersion, uid } = object.metadata;
    const { health } = this.#below;
    if (!isOrdered(resourceVersion) || isReached(health.resourceVersion, resourceVersion)) return;
    const known = this.#written.get(key);
    const isOutrun =
      known !== undefined &&
      (known.type === 'gone' && known.isCertain && known.uid === uid
        ? true // an answer that comes after the news of its deletion
        : isNewer(known.resourceVersion, resourceVersion));
    if (isOutrun) return;
    this.#set(key, { type: 'object', object, resourceVersion, fetches: health.fetches });
  }

  /** The object of this uid is gone; `resourceVersion` is the last that is known of it. */
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

  /** What the key stands for, given what the cache has for it. */
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

  /** Objects that were written, all or those under a value of an index. Some may be outdated: ask `resolve`. */
  objects(lookup?: { readonly index: Index<T>; readonly value: string }): readonly Observed<T>[] {
    return lookup === undefined ? this.#objects.list() : this.#objects.byIndex(lookup.index, lookup.value);
  }

  /** What the cache has and what is written, where they differ. */
  *changes(): Generator<CountedChange<T>> {
    for (const key of this.#written.keys()) {
      const cached = this.#below.cache.get(key);
      const written = this.resolve(key, cached);
      if (written !== cached) yield { before: cached, after: written };
    }
  }

  /** Forgets everything that the watch has passed. */
  sweep(): void {
    for (const [key, written] of this.#written) {
      const cached = this.#below.cache.get(key);
      if (!this.#isCurrent(written, cached)) this.#retire(key, written, cached);
    }
  }

  /** Whether the written state is still ahead of the cache. */
  #isCurrent(written: Written<T>, cached: Observed<T> | undefined): boolean {
    const { health } = this.#below;
    // The second fetch of the whole state since then began after it: it knows, also if the server was set back in time.
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

  /** Forgets what the watch has passed, from the oldest on. */
  #trim(): void {
    const { capacity = DEFAULT_CAPACITY } = this.#options;
    for (const [key, written] of this.#written) {
      const cached = this.#below.cache.get(key);
      if (!this.#isCurrent(written, cached)) this.#retire(key, written, cached);
      else if (this.#written.size >= capacity) this.#forget(key);
      else return;
    }
  }

  /** The watch has passed what was written: the cache knows better. */
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

/** Whether a watch at this position has told of the version. */
function isReached(position: string, resourceVersion: string): boolean {
  return isOrdered(position) && !isNewer(resourceVersion, position);
}

/** Whether versions can be put in order: positive integers, as every current API server hands out. */
function isOrdered(resourceVersion: string | undefined): resourceVersion is string {
  return resourceVersion !== undefined && DIGITS.test(resourceVersion);
}

/** Whether version `left` comes after `right`. Both are positive integers of any length. */
function isNewer(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length;
}
