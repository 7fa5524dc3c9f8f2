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
import type { Steps } from '../base/index.ts';
import type { NameRule } from './name-rules.ts';

/**
 * An object of a built-in kind as hooks see it: decoded, so it has metadata and spec even if the client left them out.
 * Parts may be shared and frozen; only `applyDefaults` may change anything below the first level.
 */
export type Whole<T> = string extends keyof T
  ? T
  : T & { metadata: ObjectMeta } & Required<Pick<T, keyof T & ('spec' | 'status')>>;

/**
 * What a kind adds to its type. The rest follows from the type table: paths, verbs, and that the system owns `status` and
 * the user everything else.
 */
export interface KindRules<T> {
  readonly group: string;
  readonly plural: string;

  /** The feature that must be enabled for it to be served; all such features are off by default in 1.36. */
  readonly featureGate?: string;
  /** See `Resource`. */
  readonly isConfidential?: boolean;
  /** The columns of its tables; default: name and age. */
  readonly columns?: readonly Column<T>[];
  readonly rowConditions?: Resource['rowConditions'];
  readonly compareRows?: Resource['compareRows'];

  /** The folder of its objects in the store; default: the plural. */
  readonly folder?: string;
  /** The version in which it is stored; default: v1. */
  readonly storedVersion?: string;
  /** The versions in which earlier versions of Kubernetes store it, as in the definition files: `v1alpha1@..1.34`. */
  readonly earlierStoredVersions?: readonly string[];
  /** Set if another group's kind is stored (events). */
  readonly storedGroup?: string;
  /**
   * The storage versions in discovery, if upstream stores other ones, with the versions of Kubernetes in which it does, as in the
   * definition files: `v1beta1@..1.33`.
   */
  readonly announcedVersions?: readonly string[];
  /** Conversions between served versions and the stored one, for versions that differ in more than their name. */
  readonly conversions?: Readonly<Record<string, Conversion>>;

  /** Sent as a warning with every request: the kind's replacement, and since when. */
  readonly deprecation?: string;
  /** The same for single versions. */
  readonly deprecations?: Readonly<Record<string, string>>;

  /** Default: a DNS subdomain. */
  readonly checkName?: NameRule;
  /** The rule for names where it depends on the object. */
  checkNameOf?(object: Whole<T>): NameRule;
  /** PUT on a missing object creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT must state the version that it changes. */
  readonly requiresResourceVersion?: boolean;
  readonly defaultPropagation?: Strategy['defaultPropagation'];
  readonly propagationWarning?: string;
  readonly returnsDeletedObject?: Strategy['returnsDeletedObject'];
  /** Versions of the API in which a deletion is answered with a Status nevertheless. */
  readonly returnsStatusIn?: readonly string[];

  /** Whether an update raises metadata.generation; default: the kind has no generation. */
  raisesGeneration?(object: Whole<T>, old: Whole<T>): boolean;
  /** Whether `raisesGeneration` sees updates before `prepareForUpdate`, with fields that are then dropped. */
  readonly countsDroppedFields?: boolean;
  /** `onUpdate`: a new object has the generation that the client sent, usually none. */
  readonly generationStarts?: 'onCreate' | 'onUpdate';
  /** Whether a `status` sent with a new object is kept; default: dropped if there is a status subresource. */
  readonly statusOnCreate?: 'dropped' | 'kept';
  /** The metadata that a write to the status subresource may not change; default: none. */
  readonly statusMetadata?: StatusMetadata;
  /** See `Resource`; default: `status`, and for the status subresource `spec` and what `statusMetadata` protects. */
  readonly resetFields?: Resource['resetFields'];

  applyDefaults?(object: Whole<T>): void;
  /**
   * The part of `applyDefaults` for the status; skips frozen values. With it, a patch of the status does not process
   * unchanged parts again.
   */
  applyStatusDefaults?(object: Whole<T>): void;
  /** Where the metadata of new objects is checked, see `Strategy`; default 'own'. */
  readonly metadataRules?: 'own' | 'own except names' | 'own except prefixes' | 'general';
  prepareForCreate?(object: Whole<T>, context: WriteContext): void | Promise<void>;
  /** Fills in defaults that upstream fills in only when it reads back what it has stored: validation does not see them. */
  complete?(object: Whole<T>): void;
  prepareForUpdate?(object: Whole<T>, old: Whole<T>, context: WriteContext): void | Promise<void>;
  prepareForStatusUpdate?(object: Whole<T>, old: Whole<T>, context: WriteContext): void | Promise<void>;
  validate?(object: Whole<T>, context: WriteContext): readonly FieldError[];
  /** All rules for an update; default: those of `validate`. */
  validateUpdate?(object: Whole<T>, old: Whole<T>, context: WriteContext): readonly FieldError[];
  /** Rules of a change alone, besides those of `validateUpdate` for the new object. */
  validateChange?(object: Whole<T>, old: Whole<T>, context: WriteContext): readonly FieldError[];
  /** The order in which an update is checked; see `Strategy`. */
  readonly changeSteps?: Strategy['changeSteps'];
  /** The same for a write of the status, whose own rules are the `object`. */
  readonly statusSteps?: Strategy['changeSteps'];
  /** Rules that may take long to check, besides the others; without `old` the object is new. */
  readonly validateInSteps?: (object: Whole<T>, old: Whole<T> | undefined) => Steps<readonly FieldError[]>;
  validateStatus?(object: Whole<T>, old: Whole<T>, context: WriteContext): readonly FieldError[];
  /** Fields, by path without indexes, whose rules replace the type table's. */
  readonly ownRulesFor?: readonly string[];
  /** Allows finalizers that are neither standard nor qualified, as in custom resources. */
  readonly allowsAnyFinalizer?: boolean;
  /** The group and kind in `is invalid` messages; default: its own. */
  readonly invalidAs?: Strategy['invalidAs'];
  warnings?(object: Whole<T>, old: Whole<T> | undefined): readonly string[];

  gracePeriod?(object: Whole<T>, requested: number | undefined): number | undefined;
  mayDisappear?(object: Whole<T>): boolean;
  beforeDelete?(object: Whole<T>, context: WriteContext): 'delete' | Whole<T>;
  ttlSeconds?(object: Whole<T>): number | undefined;
  alongside?(change: Change, context: WriteContext): Promise<Alongside>;

  /** Fields besides name and namespace that field selectors may use, with their values. */
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

/** A kind whose hooks accept any object. */
export type Kind = KindRules<ApiObject>;

/** The one place where a kind's TypeScript type is erased: the server passes its hooks only objects of that kind. */
export function defineKind<T extends { metadata?: ObjectMeta }>(rules: KindRules<T>): Kind {
  return rules as unknown as Kind;
}
