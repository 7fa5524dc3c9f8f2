import type { Constraints } from '../schema/constraints.ts';
import type { VersionRange } from './version-range.ts';

/**
 * What a definition file (`src/api/definitions/*.api`) says, before anything is resolved. The language:
 *
 *     group apps/v1                        # the API group and version the file defines
 *     package io.k8s.api.apps.v1           # prefix of its types' OpenAPI names
 *
 *     resource deployments Deployment namespaced short=deploy categories=all
 *       subresource scale autoscaling/v1.Scale verbs=get,patch,update
 *
 *     kind Deployment  // a type with apiVersion and kind; each listed resource also gets its DeploymentList
 *       metadata  1 meta/v1.ObjectMeta  // one line a field: name, protobuf number, type, flags, description
 *
 *     type DeploymentSpec
 *       replicas  1 *int32  fill=1  // Number of pods wanted
 *
 * A number `2.1` says that the field travels as field 1 of a message that is field 2 here, though JSON shows it flat.
 *
 * Types: `string int32 int64 bool double bytes`, the special ones of `ScalarName`, `T` of the same file, `core/v1.T` of
 * another, `*T` (absent differs from zero), `[]T`, `map<T>`, `wrapped[]string` (a message of its own in protobuf).
 * Flags: `required`, `required=published` (part of the schema, but not checked), `required=checked` (the reverse), `always` (written even when empty),
 * `omitzero` (a struct left out when empty), `default=V` (part of the schema), `fill=V` (filled in by the server, not
 * part of the schema), `enum(A|B)` (part of the schema), `values(A|B)` (the accepted values in the order of the
 * message, not part of the schema; `values(*)` accepts any), `list=atomic|set|map(key,…)`, `map=atomic|granular`,
 * `patch=merge(key)`, `go=T` (the Go type in decoding errors where it does not follow from the type), `in=A,B` (the Go
 * structs around a field with a number like `2.1`, outermost first), `min=`, `max=`, `maxlength=`, `format=`, `immutable`.
 * Flags for messages that differ from the usual ones: `missing("…")`, `below("…")`, `above("…")`, `outside("…")` for
 * both, `zero=missing` (a zero or an empty text is reported as missing), `zero=absent` (it is accepted as absent), `at=parent|list`
 * (where the problem is reported).
 * On a type: `atomic`, `granular`, `ownrules` (the kind's own rules check its values, so that the lines only describe them),
 * `internal(Name Name=field …)`, the members of upstream's internal type in its order, as messages quote them (`internal` alone: the fields),
 * `union(discriminator:field=Value,…)`, and `checked(a b * c)`, the order in which upstream checks
 * the fields where it is not the order of declaration.
 *
 * Versions of Kubernetes: `since=1.34` and `until=1.35` (the last one) behind a group, a resource, a subresource or a field; `@1.34`, `@..1.35`
 * or `@1.34..1.35` behind a flag. What says nothing holds in all versions. A type is there when something that is there refers to it. A field whose
 * type changes has one line for each type, and its description on the first.
 */
export interface DefinitionFile extends VersionRange {
  readonly group: string;
  readonly version: string;
  readonly package: string;
  /** How other files refer to this one, such as `apps/v1`. */
  readonly alias: string;
  readonly resources: readonly ResourceDefinition[];
  readonly types: readonly TypeDefinition[];
}

export interface ResourceDefinition extends VersionRange {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceDefinition[];
}

export interface SubresourceDefinition extends VersionRange {
  readonly name: string;
  /** `Deployment`, or `autoscaling/v1.Scale` for a type of another file. */
  readonly type: string;
  readonly verbs: readonly string[];
}

export interface TypeDefinition {
  readonly name: string;
  readonly isKind: boolean;
  readonly isAtomic: boolean;
  /** Says in the schema that its fields have owners each, which is what holds without it, too. */
  readonly isGranular: boolean;
  readonly hasOwnRules: boolean;
  /** The members of upstream's internal type, with spaces between them; empty: the fields. */
  readonly internal: string | undefined;
  readonly unions: readonly UnionDefinition[];
  readonly checkedFirst: readonly string[];
  readonly fields: readonly FieldDefinition[];
  readonly description: string;
}

export interface UnionDefinition {
  readonly discriminator: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface FieldDefinition {
  readonly name: string;
  /** Protobuf numbers: those of the enclosing messages, then the field's own; empty if it is not in protobuf. */
  readonly numbers: readonly number[];
  readonly type: string;
  readonly flags: FieldFlags;
  /** The constraints on the values. */
  readonly constraints: Constraints;
  readonly description: string;
}

/** The flags that concern the field itself. This is also the packed form. */
export interface FieldFlags extends VersionRange {
  readonly required?: true | 'published' | 'checked';
  readonly missing?: string;
  readonly always?: true;
  readonly omitzero?: true;
  readonly immutable?: true;
  readonly list?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  readonly map?: 'atomic' | 'granular';
  readonly patch?: string;
  readonly mergeKey?: string;
  readonly go?: string;
  readonly in?: readonly string[];
}

export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
