import type { ApiObject, Struct } from '../api/index.ts';
import type { Capabilities } from './capabilities.ts';

/**
 * A resource as its objects are read, shown and stored: as much of it as answers and storage need. What else there is to a
 * resource is how it is written (`Resource`).
 */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  /** The kind of its lists, when it is not `kind` and `List`. */
  readonly listKind?: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, { readonly type: string; readonly verbs: readonly string[] }>;
  readonly type: Struct;
  readonly capabilities: Capabilities;
  readonly storage: StorageForm;
  readonly columns: readonly Column[];
  /** What a table says about a row as a whole, besides its cells. */
  readonly rowConditions?: (object: ApiObject) => readonly RowCondition[];
  /** The order of the rows of a table, when it is not that of the list. */
  readonly compareRows?: (left: ApiObject, right: ApiObject) => number;
}

/** How the objects of a resource are kept, shared by all its versions. */
export interface StorageForm {
  /** Key prefix with its slash at the end, such as `/registry/deployments/`. */
  readonly prefix: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The type in the stored version. */
  readonly type: Struct;
  /** What kube-apiserver keeps in etcd for this kind. */
  readonly encoding: 'json' | 'protobuf';
  /** The stored version that discovery tells a hash of, where it is not `apiVersion`. */
  readonly announcedApiVersion?: string;
  /** Between the versions of the kind; absent when they differ in apiVersion only. */
  readonly convert?: Convert;
  /** What a written object becomes by passing through the stored version, where that changes it before anybody looks. */
  readonly normalize?: (object: ApiObject) => ApiObject;
}

/**
 * Turns objects of any version of one kind into `apiVersion`: as many, in the same order, frozen inputs left alone. Answers
 * with a promise where a webhook does the work; all objects of a call then travel together. Refuses by throwing.
 */
export type Convert = (
  objects: readonly ApiObject[],
  apiVersion: string,
  signal: AbortSignal,
) => readonly ApiObject[] | Promise<readonly ApiObject[]>;

/** One column of what `kubectl get` shows: printed by the server, so that every client shows the same. */
export interface Column<T = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  /** The cell of one object: of a built-in kind in the stored version, of others in the version asked for. */
  value(object: T, context: { readonly now: number }): unknown;
}

/** One fact about a row of a table, such as that the work of its object is completed. */
export interface RowCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}
