import type { RequestInfo } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';
import {
  type InProcessStore,
  isStoreError,
  type KeyRange,
  prefixRange,
  type RangeResult,
  type Store,
} from '../../store/index.ts';

/** How many objects of a kind there are, and how large they are on average. */
export interface ObjectSizes {
  readonly count: number;
  readonly averageBytes: number;
}

/** As often as upstream counts. */
const COUNT_EVERY_MS = 60_000;
/** As many are weighed, those with the first keys. */
const WEIGHED = 64;

export interface ObjectSizesOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Where the objects are that a request is for; undefined when this server does not store them. */
  readonly prefixOf: (info: RequestInfo) => string | undefined;
}

/** Weighs what lists would read, each kind when first asked for and then once a minute while it is asked for. */
export class StoredSizes {
  readonly #options: ObjectSizesOptions;
  /** By prefix in the store, of which there are as many as kinds. */
  readonly #known = new Map<string, ObjectSizes & { readonly at: number }>();

  constructor(options: ObjectSizesOptions) {
    this.#options = options;
  }

  /** Undefined while nothing is known: of kinds that are not stored here, and at first of those in a store elsewhere. */
  of(info: RequestInfo): ObjectSizes | undefined {
    const prefix = this.#options.prefixOf(info);
    if (prefix === undefined) return undefined;
    const known = this.#known.get(prefix);
    const now = this.#options.clock.monotonic();
    if (known !== undefined && now - known.at < COUNT_EVERY_MS) return known;
    const { store } = this.#options;
    const range = prefixRange(prefix);
    const atHand = 'rangeNow' in store ? rangeNow(store as InProcessStore, range) : undefined;
    if (atHand !== undefined) return this.#keep(prefix, atHand);
    this.#known.set(prefix, { count: 0, averageBytes: 0, ...known, at: now });
    store.range(range, { limit: WEIGHED }).then(
      (found) => this.#keep(prefix, found),
      () => undefined, // it is asked again in a minute
    );
    return known;
  }

  #keep(prefix: string, { count, entries }: RangeResult): ObjectSizes {
    const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
    const sizes = {
      count,
      averageBytes: entries.length === 0 ? 0 : bytes / entries.length,
      at: this.#options.clock.monotonic(),
    };
    this.#known.set(prefix, sizes);
    return sizes;
  }
}

/** What is at hand; undefined while a mirror of a store elsewhere is being loaded. */
function rangeNow(store: InProcessStore, range: KeyRange): RangeResult | undefined {
  try {
    return store.rangeNow(range, { limit: WEIGHED });
  } catch (error) {
    if (isStoreError(error, 'Unavailable')) return undefined;
    throw error;
  }
}
