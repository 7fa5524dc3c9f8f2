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

/** Which of the objects in the cache. All conditions hold together. */
export interface CacheQuery {
  readonly namespace?: string;
  /** Labels that must be equal, a selector as text, or one as objects carry it (empty selects all). */
  readonly labelSelector?: LabelQuery | LabelSelector;
  /** Those whose controller is the object of this uid. */
  readonly controlledBy?: string;
}

/**
 * The objects of one kind: reading from the cache, writing to the server.
 *
 * Guarantees: reads see all that was written through the same app before, whether or not the watch has told of it yet; and
 * they never go back behind it. What is read is frozen.
 */
export interface Objects<T extends KubernetesObject> {
  /** By `namespace/name`, or the name alone outside of namespaces. */
  get(key: string): Observed<T> | undefined;
  list(query?: CacheQuery): Observed<T>[];
  /** The objects under a value of an index: `byIndex(podsByNode, 'n1')`. */
  byIndex(index: Index<T>, value: string): Observed<T>[];
  /** How many objects there are under a value of a tally, by group: to count many objects often. */
  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number>;

  /** From the server itself; undefined when it is not there. */
  fetch(key: string, options?: CallOptions): Promise<Observed<T> | undefined>;
  create(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>>;
  update(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>>;
  updateStatus(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>>;
  patch(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>>;
  patchStatus(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>>;
  /** Server-side apply. Unless the options say otherwise, by the app and taking fields from others. */
  apply(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>>;
  applyStatus(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>>;
  /** Tells whether the object was there to be deleted; with a uid as precondition, that very object. */
  delete(key: string, options?: DeleteOptions): Promise<boolean>;
}
