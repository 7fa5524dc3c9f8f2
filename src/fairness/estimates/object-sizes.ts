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

/** The number of objects of a kind, and their average size. */
export interface ObjectSizes {
  readonly count: number;
  readonly averageBytes: number;
}

/** Same interval as upstream. */
const COUNT_EVERY_MS = 60_000;
/** Number of objects that are measured: those with the first keys. */
const MEASURED_OBJECTS = 64;

export interface ObjectSizesOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The store prefix of the objects that a request is for; undefined when this server does not store them. */
  readonly prefixOf: (info: RequestInfo) => string | undefined;
}

/** Measures what lists would read, each kind when first needed and then once a minute while it is needed. */
export class StoredSizes {
  readonly #options: ObjectSizesOptions;
  /** Keyed by prefix in the store; one for each kind. */
  readonly #known = new Map<string, ObjectSizes & { readonly at: number }>();

  constructor(options: ObjectSizesOptions) {
    this.#options = options;
  }

  /** Undefined while unknown: for kinds that are not stored here, and at first for those in a remote store. */
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
    store.range(range, { limit: MEASURED_OBJECTS }).then(
      (found) => this.#keep(prefix, found),
      () => undefined, // retried in a minute
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

/** The objects in memory; undefined while a mirror of a remote store is being loaded. */
function rangeNow(store: InProcessStore, range: KeyRange): RangeResult | undefined {
  try {
    return store.rangeNow(range, { limit: MEASURED_OBJECTS });
  } catch (error) {
    if (isStoreError(error, 'Unavailable')) return undefined;
    throw error;
  }
}
