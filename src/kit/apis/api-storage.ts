import type { KubernetesObject } from '../../client/index.ts';

/** The user who sent the request, as the cluster's API server authenticated them. */
export interface ApiUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The request that a storage answers. */
export interface ApiContext {
  /** The namespace of the path; empty for cluster-scoped kinds and for lists of all namespaces. */
  readonly namespace: string;
  readonly user: ApiUser;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A list request, with the selectors of the client. */
export interface ApiQuery extends ApiContext {
  /** As the client wrote them. A storage may ignore both: the server filters what it returns. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** A watch request: the selectors of the client, and the version to start after. */
export interface ApiWatchQuery extends ApiQuery {
  /** The watch starts after this version; if undefined, it first sends all existing objects as `ADDED`. */
  readonly resourceVersion?: string;
}

/** Objects, and the version of the whole list, from which a watch can continue. */
export interface ApiList<T> {
  readonly items: readonly T[];
  readonly resourceVersion?: string;
}

/** One event of a storage's watch: a changed object, or a bookmark. */
export type ApiChange<T> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: T;
      /**
       * The previous state, if the storage knows it: clients then get DELETED for an object that no longer matches their
       * selector.
       */
      readonly old?: T;
    }
  /** Says that nothing else has changed up to this version. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/**
 * Where the objects of a resource are kept. Clients are offered the verbs whose functions exist; `patch`, server-side apply
 * and `deletecollection` follow from them.
 *
 * The server passes objects that are checked against the schema and have complete metadata; the storage sets their
 * `resourceVersion`.
 */
export interface ApiStorage<T extends KubernetesObject> {
  /** Undefined when there is no such object. Default: searches what `list` returns. */
  get?(name: string, context: ApiContext): T | undefined | Promise<T | undefined>;
  list?(query: ApiQuery): ApiList<T> | readonly T[] | Promise<ApiList<T> | readonly T[]>;
  /** Ends when the signal aborts. Throws an `expired` StatusError when the version is too old. */
  watch?(query: ApiWatchQuery): AsyncIterable<ApiChange<T>>;
  /** Stores a new object and returns it; throws `alreadyExists` when there is one of that name. */
  create?(object: T, context: ApiContext): T | Promise<T>;
  /** Replaces `old`; throws `conflict` if the stored object has changed since. */
  update?(object: T, old: T, context: ApiContext): T | Promise<T>;
  /** Removes `old`; throws `conflict` if the stored object has changed since. */
  delete?(old: T, context: ApiContext): void | Promise<void>;
}
