import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  Index,
  KubernetesObject,
  LabelQuery,
  Observed,
  Patch,
  Sendable,
  Tally,
  WriteOptions,
} from '../client/index.ts';
import type { LabelSelector } from '../api/types/meta/v1.d.ts';

/** Selects objects in the cache; all conditions must hold. */
export interface CacheQuery {
  readonly namespace?: string;
  /** Labels that must be equal, a selector as text, or a LabelSelector (empty selects all). */
  readonly labelSelector?: LabelQuery | LabelSelector;
  /** The uid of the objects' controller. */
  readonly controlledBy?: string;
}

/**
 * The objects of one kind: reads from the cache, writes to the server.
 *
 * Guarantees: reads see all earlier writes of the same app, whether or not the watch has delivered them, and never go back
 * behind them. Objects that are read are frozen.
 */
export interface Objects<T extends KubernetesObject> {
  /** By `namespace/name`, or the name alone for cluster-scoped kinds. */
  get(key: string): Observed<T> | undefined;
  list(query?: CacheQuery): Observed<T>[];
  /** The objects under a value of an index: `byIndex(podsByNode, 'n1')`. */
  byIndex(index: Index<T>, value: string): Observed<T>[];
  /** The number of objects under a value of a tally, by group: counts many objects cheaply. */
  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number>;

  /** Reads from the server; undefined if the object does not exist. */
  fetch(key: string, options?: CallOptions): Promise<Observed<T> | undefined>;
  create(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>>;
  update(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>>;
  updateStatus(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>>;
  patch(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>>;
  patchStatus(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>>;
  /** Server-side apply; default: with the app's field manager, and with force. */
  apply(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>>;
  applyStatus(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>>;
  /** Returns whether the object existed; with a uid as precondition, whether that very object did. */
  delete(key: string, options?: DeleteOptions): Promise<boolean>;
}
