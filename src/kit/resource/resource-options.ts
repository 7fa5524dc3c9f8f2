import type { CustomResourceDefinition, WebhookClientConfig } from '../../api/types/apiextensions/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { KubernetesObject, Scope, SentAs } from '../../client/index.ts';
import type { Columns } from './columns.ts';
import type { PathTo } from './recorded-path.ts';
import type { Rules } from './rules.ts';
import type { InputOf, OutputOf, SchemaSource } from './schema-source.ts';

/** The schema of a status; undefined for kinds that have none. */
export type StatusSource = SchemaSource | undefined;

type StatusField<Status, Value> = [Status] extends [undefined] ? unknown : { status?: Value };

/** An object as it may be sent: with whatever has a default left out, down to the whole spec. */
export type SentObject<Spec, Status> = KubernetesObject &
  (object extends InputOf<Spec> ? { spec?: InputOf<Spec> } : { spec: InputOf<Spec> }) &
  StatusField<Status, InputOf<Status>>;

/** An object as the server hands it out. */
export type ReadObject<Spec, Status> = KubernetesObject & {
  spec: OutputOf<Spec>;
} & StatusField<Status, OutputOf<Status>>;

export type CustomObject<Spec, Status> = ReadObject<Spec, Status> & SentAs<SentObject<Spec, Status>>;

/** What one version of a kind is. */
export interface VersionOptions<Spec extends SchemaSource, Status extends StatusSource> {
  /** A schema of zod, valibot, arktype or any other library of Standard Schema, or a literal JSON Schema (TypeBox makes these). */
  readonly spec: Spec;
  /** With a status there is a status subresource: who writes the spec does not write it, and the other way round. */
  readonly status?: Status;
  /** Rules in CEL about the spec or, with `at`, any other place: `{ 'self.size >= oldSelf.size': 'a cache never shrinks' }`. */
  readonly rules?: Rules;
  /** `{ Ready: (cache) => cache.status.ready, Age: (cache) => cache.metadata.creationTimestamp }` */
  readonly columns?: Columns<ReadObject<Spec, Status>>;
  /** The scale subresource, for `kubectl scale` and HorizontalPodAutoscalers. */
  readonly scale?: ScaleOptions<ReadObject<Spec, Status>>;
  /** Fields, besides name and namespace, by which objects can be selected. */
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
  /** As in paths; default the English plural of the kind. */
  readonly plural?: string;
  /** Default the kind in small letters. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Of the definition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a conversion may give: metadata keeps all but labels and annotations, and what is left out stays as it is. */
export interface Converted<Spec, Status> {
  readonly spec: DeepReadonly<InputOf<Spec>>;
  readonly status?: [Status] extends [undefined] ? never : DeepReadonly<InputOf<Status>>;
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** An older version beside the newest: how objects become one of the other, and whether it still counts. */
export interface OlderOptions<Old, New, ToNew, ToOld> {
  /** Makes an object of the older version one of the newest. Without `up` and `down`, only the apiVersion differs. */
  up?(object: DeepReadonly<Old>): ToNew;
  down?(object: DeepReadonly<New>): ToOld;
  /** False: the version is no longer served, and objects that were stored in it are still read. */
  readonly served?: boolean;
  /** Clients of this version are warned; a text is the warning. */
  readonly deprecated?: boolean | string;
  /** Objects are still stored in this version, so that the program before this one can be brought back. */
  readonly stored?: boolean;
}

export interface ManifestOptions {
  /** Where the conversion webhook of the app is reached; kinds whose versions are converted need it. */
  readonly conversion?: WebhookClientConfig;
}

export type Definition = CustomResourceDefinition;
