import type { CustomResourceDefinition, WebhookClientConfig } from '../../api/types/apiextensions/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { KubernetesObject, Scope, SentAs } from '../../client/index.ts';
import type { Columns } from './columns.ts';
import type { PathTo } from './recorded-path.ts';
import type { Rules } from './rules.ts';
import type { InputOf, OutputOf, SchemaSource } from './schema-source.ts';

/** The schema of a status; undefined for kinds without one. */
export type StatusSource = SchemaSource | undefined;

type StatusField<Status, Value> = [Status] extends [undefined] ? unknown : { status?: Value };

/** An object as clients may send it: fields with defaults, even the whole spec, may be missing. */
export type SentObject<Spec, Status> = KubernetesObject &
  (object extends InputOf<Spec> ? { spec?: InputOf<Spec> } : { spec: InputOf<Spec> }) &
  StatusField<Status, InputOf<Status>>;

/** An object as the server returns it. */
export type ReadObject<Spec, Status> = KubernetesObject & {
  spec: OutputOf<Spec>;
} & StatusField<Status, OutputOf<Status>>;

/** The objects of a kind that `resource` defines from these schemas; `ObjectOf<typeof Cache>` is the shorter name. */
export type CustomObject<Spec, Status> = ReadObject<Spec, Status> & SentAs<SentObject<Spec, Status>>;

/** The options of one version of a kind. */
export interface VersionOptions<Spec extends SchemaSource, Status extends StatusSource> {
  /** A schema of zod, valibot, arktype or any other library of Standard Schema, or a literal JSON Schema (TypeBox makes these). */
  readonly spec: Spec;
  /** Adds a status subresource: writes of the spec ignore the status, and the other way round. */
  readonly status?: Status;
  /** CEL rules about the spec or, with `at`, any other place: `{ 'self.size >= oldSelf.size': 'a cache never shrinks' }`. */
  readonly rules?: Rules;
  /** `{ Ready: (cache) => cache.status.ready, Age: (cache) => cache.metadata.creationTimestamp }` */
  readonly columns?: Columns<ReadObject<Spec, Status>>;
  /** The scale subresource, for `kubectl scale` and HorizontalPodAutoscalers. */
  readonly scale?: ScaleOptions<ReadObject<Spec, Status>>;
  /** Fields, besides name and namespace, that field selectors may use. */
  readonly selectableFields?: readonly PathTo<ReadObject<Spec, Status>>[];
  readonly description?: string;
}

export interface ScaleOptions<T> {
  readonly replicas: PathTo<T>;
  readonly statusReplicas: PathTo<T>;
  /** A label selector as text. */
  readonly selector?: PathTo<T>;
}

export interface ResourceOptions<
  Spec extends SchemaSource,
  Status extends StatusSource,
  S extends Scope,
> extends VersionOptions<Spec, Status> {
  /** Default `Namespaced`. */
  readonly scope?: S;
  /** As in URLs; default the English plural of the kind. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Labels of the definition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The result of a conversion: only labels and annotations of its metadata are used, and missing fields stay as they are. */
export interface Converted<Spec, Status> {
  readonly spec: DeepReadonly<InputOf<Spec>>;
  readonly status?: [Status] extends [undefined] ? never : DeepReadonly<InputOf<Status>>;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** An older version beside the newest: how objects are converted, and whether it is still served. */
export interface OlderOptions<Old, New, ToNew, ToOld> {
  /** Converts an object of the older version to the newest. Without `up` and `down`, only the apiVersion differs. */
  up?(object: DeepReadonly<Old>): ToNew;
  down?(object: DeepReadonly<New>): ToOld;
  /** False: the version is no longer served, but objects stored in it can still be read. */
  readonly served?: boolean;
  /** Clients of this version get a warning; a string is its text. */
  readonly deprecated?: boolean | string;
  /** True: objects are still stored in this version, so that the previous program can be rolled back to. */
  readonly stored?: boolean;
}

export interface ManifestOptions {
  /** Where the app's conversion webhook is reached; required for kinds with conversions. */
  readonly conversion?: WebhookClientConfig;
}

/** The CustomResourceDefinition of a kind. */
export type Definition = CustomResourceDefinition;
