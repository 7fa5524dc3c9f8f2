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
import type { Steps } from '../base/index.ts';
import type { Condition, Operation } from '../store/index.ts';
import type { ConnectionAnswer } from './answers/connection-answer.ts';
import type { Capabilities } from './capabilities.ts';
import type { Call } from './request/call.ts';
import type { UserInfo } from './request/principal.ts';
import type { RequestTrace } from './trace/request-trace.ts';

/**
 * Everything the API server knows about one resource in one version. Built-in kinds are defined in `resources/`; a CustomResourceDefinition
 * becomes a resource at run time. The server has no other knowledge of kinds.
 */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  /** The kind of its lists; default `kind` followed by `List`. */
  readonly listKind?: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly type: Struct;
  /** The type of its lists; absent for kinds that are documented as custom resources, and for kinds without lists. */
  readonly listType?: Struct;
  /** The OpenAPI of a custom resource; default derived from `type`. */
  readonly openApi?: Pick<WrittenSchema, 'v2' | 'v3'>;
  /** Changes whenever the resource's documents change; absent: the documents themselves are compared. */
  readonly fingerprint?: string;
  readonly capabilities: Capabilities;
  readonly storage: StorageForm;
  readonly strategy: Strategy;
  /** The place of its group and version in discovery; default that of CustomResourceDefinitions. */
  readonly priority?: Priority;
  /** Whether another server may take over its group: its APIService is created once, and later changes by users are kept. */
  readonly isReplaceable?: boolean;
  /** The feature gate that must be enabled for it to be served; default none. */
  readonly featureGate?: string;
  /**
   * Fields that writes cannot change, because they are reset to their stored values, so that writers do not come to own them: paths such as
   * `metadata.labels`, by subresource; those of the resource itself have the empty name.
   */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly columns: readonly Column[];
  /** Conditions of a table row, besides its cells. */
  readonly rowConditions?: (object: ApiObject) => readonly RowCondition[];
  /** The order of a table's rows; default that of the list. */
  readonly compareRows?: (left: ApiObject, right: ApiObject) => number;
  /** Fields beside `metadata.name` and `metadata.namespace` that a field selector may name. */
  readonly selectableFields: readonly string[];
  /** The value of one of those fields in an object (of this version); empty when it is missing. */
  fieldValue(object: ApiObject, field: string): string;
  /** A warning with every answer, for deprecated versions and kinds. */
  readonly deprecation?: string;
  /** Whether discovery and OpenAPI describe it now; default true. When the answer changes, call `relist` of the registry. */
  readonly isListed?: () => boolean;
  /** Whether its objects contain secrets: traces of requests do not include their content. */
  readonly isConfidential?: boolean;
  /** Set for kinds that are not stored but computed for each request. */
  readonly computed?: Computed;
}

/** The verbs of a kind that is computed for each request, such as access reviews; missing verbs are not allowed. */
export interface Computed {
  /** POST: rejects the object by throwing a `StatusError`, in addition to validation, before validating admission. */
  readonly check?: (object: ApiObject) => void;
  /** POST: the answer to an object that has passed defaulting, validation and admission. */
  readonly create?: (object: ApiObject, context: WriteContext) => Promise<ApiObject>;
  /** GET one object; undefined when there is none of this name. */
  readonly get?: (name: string, namespace: string) => Promise<ApiObject | undefined>;
  /** GET the objects of a namespace, or all if it is empty; selectors are applied afterwards. */
  readonly list?: (namespace: string) => Promise<readonly ApiObject[]>;
}

/** How the objects of a resource are stored, shared by all its versions. */
export interface StorageForm {
  /** The key prefix, with a slash at the end, such as `/registry/deployments/`. */
  readonly prefix: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The type in the stored version. */
  readonly type: Struct;
  /** The type in any version, for kinds whose objects may still be stored in a version other than `apiVersion`. */
  readonly typeOf?: (apiVersion: string) => Struct | undefined;
  /** What is stored may have fields that the type does not, because another version of Kubernetes wrote it; default false. */
  readonly hasForeignFields?: boolean;
  /** The encoding that kube-apiserver uses in etcd for this kind. */
  readonly encoding: 'json' | 'protobuf';
  /** The stored version whose hash is in discovery; default `apiVersion`. */
  readonly announcedApiVersion?: string;
  /** Converts between the versions of the kind; absent when they differ in apiVersion only. */
  readonly convert?: Convert;
  /** Applies the changes that a written object undergoes by conversion to the stored version and back. */
  readonly normalize?: (object: ApiObject) => ApiObject;
}

/**
 * Converts objects of any version of one kind to `apiVersion`: returns as many, in the same order, and does not change its frozen inputs.
 * Returns a promise when a webhook converts; all objects of a call are then sent together. Fails by throwing.
 */
export type Convert = (
  objects: readonly ApiObject[],
  apiVersion: string,
  signal: AbortSignal,
) => readonly ApiObject[] | Promise<readonly ApiObject[]>;

/**
 * A part of what is checked of an update: the new metadata by itself, its change, the new object by itself (`validateUpdate` and the rules of
 * the type), or its change (immutable fields and `validateChange`). Upstream's kinds check some parts twice.
 */
export type ChangeStep = 'metadata' | 'metadataChange' | 'object' | 'change';

/** A form of a kind's objects that its rules are about. */
export interface CheckedForm {
  /** The type whose fixed fields are compared and quoted. */
  readonly type: Struct;
  /** The type that values are checked by; absent: that of the version. */
  readonly values?: Struct;
  readonly of: (object: ApiObject) => ApiObject;
}

/** The write rules of one kind. Hooks get objects that they may change in place, in the resource's version; absent hooks do nothing. */
export interface Strategy extends DeletionStrategy {
  /** Defaults that depend on other fields; those in the type table have already been applied. */
  readonly applyDefaults?: (object: ApiObject) => void;
  /**
   * Whether unchanged fields of a patched object may be shared with the stored object, which is frozen; `applyDefaults` must not change
   * them.
   */
  readonly sharesUnchanged?: boolean;
  /** Removes fields that a client may not set (status, …) and sets those that the kind sets itself (generation, …). */
  readonly prepareForCreate?: (object: ApiObject, context: WriteContext) => void | Promise<void>;
  readonly prepareForUpdate?: (object: ApiObject, old: ApiObject, context: WriteContext) => void | Promise<void>;
  /** What is filled in or dropped once an object is accepted, as upstream does when it reads back what it has stored. */
  readonly complete?: ((object: ApiObject) => void) | undefined;
  /**
   * Where upstream checks the metadata of a new object: before the kind's own rules (the default), there except for its name or
   * for the prefix of a generated name, or only among the rules of all kinds. Those come last, if nothing has been found.
   */
  readonly metadataRules?: 'own' | 'own except names' | 'own except prefixes' | 'general' | undefined;
  /** The kind's rules for metadata, besides those of all kinds. */
  readonly validateMetadata?: (object: ApiObject) => readonly FieldError[];
  readonly validate?: (object: ApiObject, context: WriteContext) => readonly FieldError[];
  readonly validateUpdate?: (object: ApiObject, old: ApiObject, context: WriteContext) => readonly FieldError[];
  /** Rules of a change alone: what may not become something else. */
  readonly validateChange?:
    | ((object: ApiObject, old: ApiObject, context: WriteContext) => readonly FieldError[])
    | undefined;
  /** The order in which an update is checked, after the checks of metadata that all kinds share; default `metadataChange`, `object`, `change`. */
  readonly changeSteps?: readonly ChangeStep[] | undefined;
  /** Rules that may take long to check; their errors come after those of the hooks above. Without `old` the object is new. */
  readonly validateInSteps?:
    | ((object: ApiObject, old: ApiObject | undefined) => Steps<readonly FieldError[]>)
    | undefined;
  /** Combines the errors of the type table and of the hooks above, with the texts and order of this kind. */
  readonly combineErrors?: (table: readonly FieldError[], own: readonly FieldError[]) => readonly FieldError[];
  /** The kind's name in `is invalid` messages; default its own group and kind. */
  readonly invalidAs?: { readonly group: string; readonly resource: string };
  readonly warnings?: (object: ApiObject, old: ApiObject | undefined) => readonly string[];
  /** Rules for `metadata.name` beyond those for path segments; with `prefix`, for generateName. */
  readonly checkName?: (name: string, options: { readonly prefix: boolean }) => readonly string[];
  /** The same where they depend on the object. */
  readonly checkNameOf?: ((object: ApiObject) => Strategy['checkName']) | undefined;
  /** The form that is checked, if it is not the version's own: messages have its paths and quote its values. */
  readonly checkedForm?: CheckedForm | undefined;
  /** Whether PUT creates a missing object. */
  readonly createOnUpdate?: boolean;
  /** Whether PUT without resourceVersion is rejected instead of overwriting. */
  readonly requiresResourceVersion?: boolean;
  /** A warning for clients that delete without a propagation policy. */
  readonly propagationWarning?: string;
  /** Whether DELETE answers with the object instead of a Status; OpenAPI documents this unless it is `unannounced`. */
  readonly returnsDeletedObject?: boolean | 'unannounced';
  /** Whether an object marked for deletion may be removed when its last finalizer is removed. */
  readonly mayDisappear?: (object: ApiObject) => boolean;
  /** Called when a delete arrives, before anything else; may change the object instead of deleting it (namespaces). */
  readonly beforeDelete?: (object: ApiObject, context: WriteContext) => 'delete' | ApiObject;
  readonly ttlSeconds?: (object: ApiObject) => number | undefined;
  /** Additional writes in the same transaction, such as allocating or releasing an address. */
  readonly alongside?: (change: Change, context: WriteContext) => Promise<Alongside>;
}

/** Additional operations of a write, in the same transaction; when a condition fails, the whole write is prepared again. */
export interface Alongside {
  readonly conditions: readonly Condition[];
  readonly operations: readonly Operation[];
}

export type Change =
  | { readonly type: 'create'; readonly object: ApiObject }
  | { readonly type: 'update'; readonly object: ApiObject; readonly old: ApiObject }
  | { readonly type: 'delete'; readonly old: ApiObject };

/** The write that hooks take part in. */
export interface WriteContext {
  readonly user: UserInfo;
  /** The authorized verb, such as `update`. */
  readonly verb: string;
  readonly dryRun: boolean;
  readonly subresource: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newUid: () => string;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** The field manager that the writer is recorded as in managedFields. */
  readonly manager: string;
  warn(message: string): void;
  /** Adds an annotation to the audit event of the request. */
  annotate(key: string, value: string): void;
  /** Set when the object is large: lets other requests run before each step that processes all of it. */
  readonly pause?: () => Promise<void>;
  /** Set when the request is traced. */
  readonly trace?: RequestTrace | undefined;
}

/** One column of `kubectl get`: computed by the server, so that every client shows the same. */
export interface Column<T = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority: number;
  /** The cell of one object: of a built-in kind in the stored version, of others in the requested version. */
  value(object: T, context: { readonly now: number }): unknown;
}

/** A condition of a table row, such as that the object's work is completed. */
export interface RowCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** A subresource: `status` and other views of the same object, `scale`-like views of another kind, and actions such as `eviction`. */
export type Subresource = ObjectView | Projection | Action | Connection;

/** The same object; a write changes only the fields that the view owns. */
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
  /** The path of the projection's `spec.replicas` in the object; set for Scale. */
  readonly replicasPath?: readonly string[];
  /** The same paths in other versions of the object, by apiVersion. */
  readonly replicasPaths?: Readonly<Record<string, readonly string[]>>;
  project(object: ApiObject): ApiObject;
  /** The answer to GET, when that rejects objects which a write can still repair. */
  read?(object: ApiObject): ApiObject;
  /** Applies the projection's changes to the object. */
  merge(object: ApiObject, projection: ApiObject): ApiObject;
  validate(projection: ApiObject): readonly FieldError[];
}

/** An action on the object, such as an eviction: the client posts an object of another kind, and the action returns the answer. */
export interface Action {
  readonly type: 'action';
  readonly verbs: readonly string[];
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly struct: Struct;
  run(call: ActionCall): Promise<ApiObject>;
}

/** A stream or an answer from another program, such as `exec`, `log` and `proxy`. */
export interface Connection {
  readonly type: 'connection';
  readonly verbs: readonly string[];
  /** The kind in discovery: nearly always that of the options. */
  readonly struct: Struct;
  /** How OpenAPI documents it. */
  readonly style: Exclude<SubresourceStyle, { readonly kind: 'object' }>;
  /** Set for connections that only read, such as `log`: admission is skipped. Otherwise admission runs with the operation CONNECT. */
  readonly isRead?: boolean;
  /** Called for any method. Rejects by throwing a `StatusError`. */
  open(call: Call, objects: ActionObjects): Promise<ConnectionAnswer>;
}

export interface ActionCall {
  readonly namespace: string;
  readonly name: string;
  /** The posted object, decoded as `struct`. */
  readonly body: ApiObject;
  readonly context: WriteContext;
  readonly objects: ActionObjects;
  /** Runs validating admission for the posted object; the action calls it after its own checks. */
  admit(body: ApiObject): Promise<void>;
}

/** The operations of an action on its object. */
export interface ActionObjects {
  get(): Promise<ApiObject>;
  /** Changes the object, and repeats after conflicts; returning undefined leaves it unchanged. */
  update(change: (object: ApiObject) => ApiObject | undefined): Promise<ApiObject>;
  delete(options: ActionDeleteOptions): Promise<void>;
}

export interface ActionDeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  /** Makes this a dry run even when the request is not. */
  readonly dryRun?: boolean;
}
