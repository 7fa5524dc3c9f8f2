import type { FieldError } from '../../api/index.ts';
import type { Kind, KubernetesObject, Scope } from '../../client/index.ts';
import type { DefinedKind } from './defined-kind.ts';
import type {
  Converted,
  CustomObject,
  OlderOptions,
  ReadObject,
  StatusSource,
  VersionOptions,
} from './resource-options.ts';
import type { RoundTripOptions, RoundTripReport } from './round-trip.ts';
import type { SchemaSource } from './schema-source.ts';

/** The context of `validate` and `parse`. */
export interface LocalOptions {
  /** The previous object, for transition rules. */
  readonly old?: unknown;
}

/** A custom kind: a `Kind` for clients, controllers and caches, and the definition with which servers serve it. */
export interface CustomResource<
  T extends KubernetesObject = KubernetesObject,
  S extends Scope = Scope,
  Older extends Readonly<Record<string, KubernetesObject>> = Readonly<Record<string, KubernetesObject>>,
  Spec = unknown,
  Status = unknown,
> extends DefinedKind<T, S> {
  /** The errors that a server would report for an object, after filling in defaults and dropping unknown fields. */
  validate(object: unknown, options?: LocalOptions): Promise<readonly FieldError[]>;
  /** The object as a server would store it; throws the server's StatusError if it would refuse it. */
  parse(object: unknown, options?: LocalOptions): Promise<T>;
  /** The same kind, also served in an older version. */
  older<const V extends string, const OldSpec extends SchemaSource, const OldStatus extends StatusSource = undefined>(
    version: V,
    schema: VersionOptions<OldSpec, OldStatus>,
    options?: OlderOptions<
      ReadObject<OldSpec, OldStatus>,
      ReadObject<Spec, Status>,
      Converted<Spec, Status>,
      Converted<OldSpec, OldStatus>
    >,
  ): CustomResource<T, S, Older & Readonly<Record<V, CustomObject<OldSpec, OldStatus>>>, Spec, Status>;
  /** The kind in an older version, for clients that still use it. */
  at<V extends keyof Older>(version: V): Kind<Older[V], S>;
  /** Converts generated objects of every version up and down again, and reports what was lost. */
  checkRoundTrip(options?: RoundTripOptions): Promise<RoundTripReport>;
}

/** The type of a kind's objects: `type Cache = ObjectOf<typeof Cache>`. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;
