import type { ResourceDefinition, UnionDefinition } from '../language/definition.ts';
import type { GroupVersion, GroupVersionKind } from '../values/resource-names.ts';
import type { Constraints } from './constraints.ts';

/**
 * The run-time form of a type, from the definition files of the built-in kinds or from a structural schema (OpenAPI, as in
 * CustomResourceDefinitions). Codecs, defaulting, pruning, validation, merging, OpenAPI and CEL types only use this, and
 * never know a type by name.
 */
export interface Struct {
  /** The OpenAPI name, such as `io.k8s.api.apps.v1.Deployment`. */
  readonly name: string;
  /** The last part of it, such as `Deployment`. */
  readonly shortName: string;
  /** In order of declaration, which is the order of JSON output; kinds have `kind` and `apiVersion` first. */
  readonly fields: readonly Field[];
  readonly field: (name: string) => Field | undefined;
  /** Set if the type is a kind: it has apiVersion and kind. */
  readonly kind: GroupVersionKind | undefined;
  /** Owned and replaced as a whole by server-side apply. */
  readonly isAtomic: boolean;
  /** The schema says that it is not atomic. */
  readonly isGranular?: boolean;
  /** The constraints on every value of the type, wherever it is used. */
  readonly constraints?: Constraints | undefined;
  /**
   * Any JSON can be read as such a type: unknown fields are pruned, and the schema validates the rest, in the words of
   * OpenAPI, as upstream does for custom resources. For other types, a value must match the type to be read at all, absent
   * and zero are often equal, and problems are worded as for the built-in kinds.
   */
  readonly isStructural?: boolean;
  /**
   * The fields in the order in which upstream checks them, if that is not the order of declaration. Fields that are not
   * listed come at the `*`, or last.
   */
  readonly checkedFirst?: readonly string[];
  /** The kind's own rules check values of the type and all below them. */
  readonly hasOwnRules?: boolean;
  /** The members of upstream's internal type, with spaces between them, as messages quote them; empty: the fields. */
  readonly internal?: string | undefined;
  readonly unions: readonly UnionDefinition[];
  /** Unknown fields are kept, not dropped. */
  readonly preservesUnknown: boolean;
}

export interface Field {
  readonly name: string;
  /** The protobuf field number; 0 if the field is not in protobuf. */
  readonly number: number;
  /**
   * Protobuf numbers of the enclosing messages, outermost first; usually empty. Example: `Volume.hostPath` is flat in JSON,
   * but in protobuf it is field 1 of the message `volumeSource`, which is field 2: number 1, inside [2].
   */
  readonly inside: readonly number[];
  readonly shape: Shape;
  /** `pointer`: absent differs from zero. `value`: absent equals zero. */
  readonly presence: 'pointer' | 'value';
  /**
   * When the field is omitted from JSON: `empty` (zero scalar, empty list or map, absent pointer; never a struct value),
   * `zero` (also an empty struct value), or `never`.
   */
  readonly omit: 'empty' | 'zero' | 'never';
  readonly required: boolean;
  /** Published as required, but not enforced by upstream. */
  readonly isOnlyPublished?: boolean;
  /** Required, but not published as such. */
  readonly isOnlyChecked?: boolean;
  /** An addition to the message when the required field is missing. */
  readonly missingSays?: string;
  readonly immutable: boolean;
  /** The schema does not name the field: it exists because every object has it. */
  readonly isImplied?: boolean;
  /** How strategic merge patches treat the field. */
  readonly patchStrategy?: string;
  readonly mergeKey?: string;
  /** The Go type in decoding errors, if it does not follow from the shape. */
  readonly goType?: string | undefined;
  /** The Go structs that embed the field, outermost first. */
  readonly goInside?: readonly string[] | undefined;
}

/** A place where values are: a field, an item of a list, a value of a map, or the root of a type. */
export type Shape = ScalarShape | StructShape | ListShape | MapShape;

interface Place {
  /** The constraints on the values here. Places without any share their shapes. */
  readonly constraints?: Constraints | undefined;
}

export interface ScalarShape extends Place {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** Bytes are a list in Go, and may be published as one. */
  readonly listType?: 'atomic' | 'set' | 'map';
}

export interface StructShape extends Place {
  readonly kind: 'struct';
  /** Whether the struct is atomic at this place, overriding the struct itself. */
  readonly mapType?: MapType;
  /** Published by old versions, without effect. */
  readonly listType?: 'atomic' | 'set' | 'map' | undefined;
  /** Resolved on first use: types may be recursive. */
  readonly struct: Struct;
}

export type MapType = 'atomic' | 'granular';

export interface ListShape extends Place {
  readonly kind: 'list';
  readonly element: Shape;
  /** Default: atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The fields that identify an element of a `map` list. */
  readonly keys?: readonly string[];
  /** A separate message in protobuf, with the elements as field 1. */
  readonly isWrapped: boolean;
}

export interface MapShape extends Place {
  readonly kind: 'map';
  readonly value: Shape;
  readonly mapType?: MapType;
}

/** Values that are not built from fields; the special ones have their own wire form. */
export const scalarNames = [
  'string',
  'int32',
  'int64',
  'bool',
  'double',
  'bytes',
  'Quantity',
  'Time',
  'MicroTime',
  'Duration',
  'IntOrString',
  'JSON',
  'RawExtension',
  'FieldsV1',
  'JSONSchemaPropsOrArray',
  'JSONSchemaPropsOrBool',
  'JSONSchemaPropsOrStringArray',
] as const;

export type ScalarName = (typeof scalarNames)[number];

export type { GroupVersionKind };

/** A resource as the tables describe it; its behaviour is in `resources/`. */
export interface ResourceInfo extends Omit<ResourceDefinition, 'subresources'>, GroupVersion {
  readonly subresources: readonly SubresourceInfo[];
  readonly type: Struct;
}

export interface SubresourceInfo {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly type: Struct;
}
