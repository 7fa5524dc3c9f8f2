import type { KubernetesObject } from '../../client/index.ts';

/** Who asks, as the cluster's API server found out. */
export interface ApiUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a storage is told about a request. */
export interface ApiContext {
  /** Of the path; empty for kinds outside of namespaces, and for lists over all of them. */
  readonly namespace: string;
  readonly user: ApiUser;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

export interface ApiQuery extends ApiContext {
  /** As the client wrote them. A storage may ignore both: the server sorts out what does not fit. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ApiWatchQuery extends ApiQuery {
  /** Changes after this one are asked for; undefined asks for all objects first, as `ADDED`. */
  readonly resourceVersion?: string;
}

/** Objects, and the version of the whole list, from which a watch can go on. */
export interface ApiList<T> {
  readonly items: readonly T[];
  readonly resourceVersion?: string;
}

export type ApiChange<T> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: T;
      /** What was there before, where the storage knows it: an object that no longer fits a selector is then told to be gone. */
      readonly old?: T;
    }
  /** Nothing has changed up to this version. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/**
 * Where the objects of a resource are kept. Clients are offered the verbs of those functions that are there; `patch`,
 * server-side apply and `deletecollection` follow from them.
 *
 * Objects come in checked against the schema, with metadata filled in; the storage gives them a `resourceVersion`.
 */
export interface ApiStorage<T extends KubernetesObject> {
  /** Undefined when there is no such object. Default: searches what `list` returns. */
  get?(name: string, context: ApiContext): T | undefined | Promise<T | undefined>;
  list?(query: ApiQuery): ApiList<T> | readonly T[] | Promise<ApiList<T> | readonly T[]>;
  /** Ends when the signal aborts. Throws an `expired` StatusError when the version is too old. */
  watch?(query: ApiWatchQuery): AsyncIterable<ApiChange<T>>;
  /** Stores a new object and returns it; throws `alreadyExists` when there is one of that name. */
  create?(object: T, context: ApiContext): T | Promise<T>;
  /** Replaces `old`; throws `conflict` when the stored object is another one by now. */
  update?(object: T, old: T, context: ApiContext): T | Promise<T>;
  /** Removes `old`; throws `conflict` when the stored object is another one by now. */
  delete?(old: T, context: ApiContext): void | Promise<void>;
}
