import type { ApiObject, FieldError, ObjectMeta, ResourceInfo } from '../api/index.ts';
import type {
  Alongside,
  Change,
  Column,
  Computed,
  Resource,
  Strategy,
  Subresource,
  WriteContext,
} from '../apiserver/index.ts';
import type { NameRule } from './name-rules.ts';

/**
 * An object of a built-in kind as hooks see it: decoded, so its metadata and spec are there even when the client left
 * them out. Pieces of it may be shared and frozen; only `applyDefaults` may change below the first level.
 */
export type Whole<T> = string extends keyof T
  ? T
  : T & { metadata: ObjectMeta } & Required<Pick<T, keyof T & ('spec' | 'status')>>;

/**
 * What one kind adds to what its type says. The rest follows from the type table: paths, verbs, and that `status` is
 * the system's and everything else the user's.
 */
export interface KindRules<T> {
  readonly group: string;
  readonly plural: string;

  /** The feature that must be switched on for it to be served; all such features are off by default in 1.36. */
  readonly featureGate?: string;
  /** See `Resource`. */
  readonly isConfidential?: boolean;
  /** The columns of its tables; absent: its name, and when it was created. */
  readonly columns?: readonly Column<T>[];
  readonly rowConditions?: Resource['rowConditions'];
  readonly compareRows?: Resource['compareRows'];

  /** Folder of its objects in the store; absent: the plural. */
  readonly folder?: string;
  /** The version in which it is stored; absent: v1. */
  readonly storedVersion?: string;
  /** Where the stored kind is another group's (events). */
  readonly storedGroup?: string;
  /** The version that discovery says it is stored in, where upstream's is another one. */
  readonly announcedVersion?: string;
  /** From a served version to the stored one and back, for versions that differ in more than their name. */
  readonly conversions?: Readonly<Record<string, Conversion>>;

  /** Shown as a warning with every request: what replaces the kind, and since when. */
  readonly deprecation?: string;
  /** The same for single versions. */
  readonly deprecations?: Readonly<Record<string, string>>;

  /** Absent: a DNS subdomain. */
  readonly checkName?: NameRule;
  /** PUT on a missing object creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT must say which version it changes. */
  readonly requiresResourceVersion?: boolean;
  readonly defaultPropagation?: Strategy['defaultPropagation'];
  readonly propagationWarning?: string;
  readonly returnsDeletedObject?: Strategy['returnsDeletedObject'];

  /** Whether an update raises metadata.generation; absent: the kind has no generation. */
  raisesGeneration?(object: Whole<T>, old: Whole<T>): boolean;
  /** `onUpdate`: only updates count, so a new object has no generation. */
  readonly generationStarts?: 'onCreate' | 'onUpdate';
  /** What happens to a `status` that is sent with a new object; absent: it is dropped if there is a status subresource. */
  readonly statusOnCreate?: 'dropped' | 'kept';
  /** What a write to the status subresource may not change in metadata; absent: nothing is protected. */
  readonly statusMetadata?: StatusMetadata;
  /** See `Resource`; absent: `status`, and for the status subresource `spec` and what `statusMetadata` protects. */
  readonly resetFields?: Resource['resetFields'];

  applyDefaults?(object: Whole<T>): void;
  /**
   * What `applyDefaults` does to the status alone; it leaves alone what is frozen. With it, a patch of the status does not look
   * again at what it does not change.
   */
  applyStatusDefaults?(object: Whole<T>): void;
  prepareForCreate?(object: Whole<T>, context: WriteContext): void | Promise<void>;
  prepareForUpdate?(object: Whole<T>, old: Whole<T>, context: WriteContext): void | Promise<void>;
  prepareForStatusUpdate?(object: Whole<T>, old: Whole<T>, context: WriteContext): void | Promise<void>;
  validate?(object: Whole<T>, context: WriteContext): readonly FieldError[];
  /** All rules for an update; absent: those of `validate`. */
  validateUpdate?(object: Whole<T>, old: Whole<T>, context: WriteContext): readonly FieldError[];
  validateStatus?(object: Whole<T>, old: Whole<T>, context: WriteContext): readonly FieldError[];
  /** Fields, by path without indexes, for which the kind has rules instead of the type table's. */
  readonly ownRulesFor?: readonly string[];
  /** Finalizers may have names that are neither standard nor qualified, as in custom resources. */
  readonly allowsAnyFinalizer?: boolean;
  /** The group and kind that `is invalid` messages name; absent: its own. */
  readonly invalidAs?: Strategy['invalidAs'];
  warnings?(object: Whole<T>, old: Whole<T> | undefined): readonly string[];

  gracePeriod?(object: Whole<T>, requested: number | undefined): number | undefined;
  mayDisappear?(object: Whole<T>): boolean;
  beforeDelete?(object: Whole<T>, context: WriteContext): 'delete' | Whole<T>;
  ttlSeconds?(object: Whole<T>): number | undefined;
  alongside?(change: Change, context: WriteContext): Promise<Alongside>;

  /** Fields beside name and namespace that a field selector may name, with their values. */
  readonly selectable?: Readonly<Record<string, (object: Whole<T>) => string>>;
  /** Subresources other than `status`, by name. */
  readonly subresources?: Readonly<Record<string, SubresourceMaker>>;
  /** For kinds that are not stored. */
  readonly computed?: Computed;
}

/** `labels`: labels only. `owned`: all that ResetObjectMetaForStatus resets. `all`: everything but managedFields. */
export type StatusMetadata = 'labels' | 'owned' | 'owners' | 'all';

export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

export type SubresourceMaker = (info: ResourceInfo['subresources'][number], own: Strategy) => Subresource;

/** A kind whose hooks take any object. */
export type Kind = KindRules<ApiObject>;

/** The one place where a kind's own TypeScript type is put aside: the server hands its hooks only objects of that kind. */
export function defineKind<T extends { metadata?: ObjectMeta }>(rules: KindRules<T>): Kind {
  return rules as unknown as Kind;
}
