import type {
  ApiObject,
  DeletionStrategy,
  FieldError,
  Preconditions,
  Priority,
  Struct,
  SubresourceStyle,
  WrittenSchema,
} from '../api/index.ts';
import type { Condition, Operation } from '../store/index.ts';
import type { ConnectionAnswer } from './answers/connection-answer.ts';
import type { Capabilities } from './capabilities.ts';
import type { Call } from './request/call.ts';
import type { UserInfo } from './request/principal.ts';

/**
 * Everything the API server knows about one resource in one version. Built-in kinds state it in `resources/`; a
 * CustomResourceDefinition becomes one while running. The server has no other knowledge of kinds.
 */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  /** The kind of its lists, when it is not `kind` and `List`. */
  readonly listKind?: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly type: Struct;
  /** The type of its lists; absent for kinds that are documented as custom resources, and for those that have no lists. */
  readonly listType?: Struct;
  /** The OpenAPI of a custom resource that has been written already; absent: what `type` says. */
  readonly openApi?: Pick<WrittenSchema, 'v2' | 'v3'>;
  /** Differs whenever anything that documents say of the resource does; absent: they are compared themselves. */
  readonly fingerprint?: string;
  readonly capabilities: Capabilities;
  readonly storage: StorageForm;
  readonly strategy: Strategy;
  /** Where its group and version stand in discovery; absent: with those of CustomResourceDefinitions. */
  readonly priority?: Priority;
  /** Another server may take over its group: the APIService is made once, and then left to whoever changes it. */
  readonly isReplaceable?: boolean;
  /** The feature that must be switched on for it to be served; absent: none. */
  readonly featureGate?: string;
  /**
   * What writes cannot change, because it is reset to what it was, so that writers do not come to own it: paths such as
   * `metadata.labels`, by subresource; those of the resource itself are under the empty name.
   */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly columns: readonly Column[];
  /** What a table says about a row as a whole, besides its cells. */
  readonly rowConditions?: (object: ApiObject) => readonly RowCondition[];
  /** The order of the rows of a table, when it is not that of the list. */
  readonly compareRows?: (left: ApiObject, right: ApiObject) => number;
  /** Fields beside `metadata.name` and `metadata.namespace` that a field selector may name. */
  readonly selectableFields: readonly string[];
  /** The value of one of those fields in an object (of this version); empty where there is none. */
  fieldValue(object: ApiObject, field: string): string;
  /** A warning that goes with every answer, for versions and kinds that will be gone. */
  readonly deprecation?: string;
  /** Its objects carry secrets: nothing that is kept of requests for diagnosis tells what is in them. */
  readonly isConfidential?: boolean;
  /** Set for kinds that are not stored: what is asked or posted is answered on the spot. */
  readonly computed?: Computed;
}

/** The verbs of a kind that is made up when asked for, such as access reviews; those it lacks are not allowed. */
export interface Computed {
  /** POST: refuses what was sent by throwing a `StatusError`, beyond what validation finds, before validating admission. */
  readonly check?: (object: ApiObject) => void;
  /** POST: the answer to what was sent, which has passed defaulting, validation and admission. */
  readonly create?: (object: ApiObject, context: WriteContext) => Promise<ApiObject>;
  /** GET one object; undefined when there is none of this name. */
  readonly get?: (name: string, namespace: string) => Promise<ApiObject | undefined>;
  /** GET the objects of a namespace, or all if it is empty; those that are not selected are left out afterwards. */
  readonly list?: (namespace: string) => Promise<readonly ApiObject[]>;
}

/** How the objects of a resource are kept, shared by all its versions. */
export interface StorageForm {
  /** Key prefix with its slash at the end, such as `/registry/deployments/`. */
  readonly prefix: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The type in the stored version. */
  readonly type: Struct;
  /** The type in any version, for kinds whose objects may still be stored in another one than `apiVersion`. */
  readonly typeOf?: (apiVersion: string) => Struct | undefined;
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

/**
 * What is special about writing one kind. Hooks get objects they may change in place, in the resource's version;
 * absent hooks do nothing.
 */
export interface Strategy extends DeletionStrategy {
  /** Defaults that depend on other fields; those the type table can state are filled in already. */
  readonly applyDefaults?: (object: ApiObject) => void;
  /** What a patch leaves alone is taken over from the stored object, frozen; `applyDefaults` leaves it alone, too. */
  readonly sharesUnchanged?: boolean;
  /** Drops what a client may not set (status, …) and sets what the kind sets itself (generation, …). */
  readonly prepareForCreate?: (object: ApiObject, context: WriteContext) => void | Promise<void>;
  readonly prepareForUpdate?: (object: ApiObject, old: ApiObject, context: WriteContext) => void | Promise<void>;
  readonly validate?: (object: ApiObject, context: WriteContext) => readonly FieldError[];
  readonly validateUpdate?: (object: ApiObject, old: ApiObject, context: WriteContext) => readonly FieldError[];
  /** Findings of the type table and of the hooks above as one list, in the words and the order of this kind. */
  readonly combineErrors?: (table: readonly FieldError[], own: readonly FieldError[]) => readonly FieldError[];
  /** How `is invalid` messages name the kind, when it is not by its own group and kind. */
  readonly invalidAs?: { readonly group: string; readonly resource: string };
  readonly warnings?: (object: ApiObject, old: ApiObject | undefined) => readonly string[];
  /** Rules for `metadata.name` beyond being a path segment; with `prefix`, for generateName. */
  readonly checkName?: (name: string, options: { readonly prefix: boolean }) => readonly string[];
  /** PUT on a missing object creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion is refused instead of overwriting. */
  readonly requiresResourceVersion?: boolean;
  /** A warning for clients that delete without saying what becomes of dependents. */
  readonly propagationWarning?: string;
  /** DELETE answers with the object instead of a Status; OpenAPI says so unless it is `unannounced`. */
  readonly returnsDeletedObject?: boolean | 'unannounced';
  /** A last word before an object marked for deletion disappears because its finalizers are gone. */
  readonly mayDisappear?: (object: ApiObject) => boolean;
  /** Called when a delete arrives, before anything else; may change the object instead of deleting it (namespaces). */
  readonly beforeDelete?: (object: ApiObject, context: WriteContext) => 'delete' | ApiObject;
  readonly ttlSeconds?: (object: ApiObject) => number | undefined;
  /** More writes for the same transaction, such as an address taken or given back. */
  readonly alongside?: (change: Change, context: WriteContext) => Promise<Alongside>;
}

/** What else a write does, in the same transaction; when a condition fails, the whole write is prepared again. */
export interface Alongside {
  readonly conditions: readonly Condition[];
  readonly operations: readonly Operation[];
}

export type Change =
  | { readonly type: 'create'; readonly object: ApiObject }
  | { readonly type: 'update'; readonly object: ApiObject; readonly old: ApiObject }
  | { readonly type: 'delete'; readonly old: ApiObject };

/** What hooks may ask about the write they take part in. */
export interface WriteContext {
  readonly user: UserInfo;
  /** What the user was allowed to do, such as `update`. */
  readonly verb: string;
  readonly dryRun: boolean;
  readonly subresource: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newUid: () => string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The field manager that the writer is recorded as in managedFields. */
  readonly manager: string;
  warn(message: string): void;
  /** Adds to the audit event of the request. */
  annotate(key: string, value: string): void;
  /** There when the object is large: others have their turns in between, before each step that looks at all of it. */
  readonly pause?: () => Promise<void>;
}

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

/**
 * Something below an object: `status` and other views of the same object, `scale`-like views of another kind, and
 * actions such as `eviction`.
 */
export type Subresource = ObjectView | Projection | Action | Connection;

/** The same object; a write changes only the part the view owns. */
export interface ObjectView {
  readonly type: 'view';
  readonly verbs: readonly string[];
  readonly strategy: Strategy;
}

/** The object as another kind, such as a Scale. */
export interface Projection {
  readonly type: 'projection';
  readonly verbs: readonly string[];
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly struct: Struct;
  readonly columns?: readonly Column[];
  /** Where `spec.replicas` of the projection is in the object; set for Scale. */
  readonly replicasPath?: readonly string[];
  /** The same in other versions of the object, by apiVersion. */
  readonly replicasPaths?: Readonly<Record<string, readonly string[]>>;
  project(object: ApiObject): ApiObject;
  /** What GET answers, where that refuses objects of which a write can still make something. */
  read?(object: ApiObject): ApiObject;
  /** The object with the changes of its projection carried over. */
  merge(object: ApiObject, projection: ApiObject): ApiObject;
  validate(projection: ApiObject): readonly FieldError[];
}

/** An action on the object, such as an eviction: the request posts another kind, and the action makes the answer. */
export interface Action {
  readonly type: 'action';
  readonly verbs: readonly string[];
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly struct: Struct;
  run(call: ActionCall): Promise<ApiObject>;
}

/** A stream or a page from somewhere else, such as `exec`, `log` and `proxy`. */
export interface Connection {
  readonly type: 'connection';
  readonly verbs: readonly string[];
  /** The kind that discovery tells: nearly always that of the options. */
  readonly struct: Struct;
  /** How OpenAPI documents it. */
  readonly style: Exclude<SubresourceStyle, { readonly kind: 'object' }>;
  /** Set for what is only read, such as `log`: admission is not asked. Otherwise it is, with the operation CONNECT. */
  readonly isRead?: boolean;
  /** Any method, whatever verb it counts as. Refusing is throwing a `StatusError`. */
  open(call: Call, objects: ActionObjects): Promise<ConnectionAnswer>;
}

export interface ActionCall {
  readonly namespace: string;
  readonly name: string;
  /** What was sent, decoded as `struct`. */
  readonly body: ApiObject;
  readonly context: WriteContext;
  readonly objects: ActionObjects;
  /** Validating admission of what was sent; for the action to call as soon as its own checks of it have passed. */
  admit(body: ApiObject): Promise<void>;
}

/** What an action may do with the object it stands under. */
export interface ActionObjects {
  get(): Promise<ApiObject>;
  /** Changes the object until it sticks; returning undefined leaves it as it is. */
  update(change: (object: ApiObject) => ApiObject | undefined): Promise<ApiObject>;
  delete(options: ActionDeleteOptions): Promise<void>;
}

export interface ActionDeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  /** As well as when the request itself is a dry run. */
  readonly dryRun?: boolean;
}
