import type { ResourceDefinition, UnionDefinition } from '../language/definition.ts';
import type { GroupVersion, GroupVersionKind } from '../values/resource-names.ts';
import type { Constraints } from './constraints.ts';

/**
 * The run-time form of a type: what the definition files say about the built-in kinds, and what a structural schema
 * (OpenAPI, as CustomResourceDefinitions have it) says about its kind. Codecs, defaulting, pruning, validation, merging,
 * OpenAPI and the types of CEL work on this alone, and never know a type by name.
 */
export interface Struct {
  /** The OpenAPI name, such as `io.k8s.api.apps.v1.Deployment`. */
  readonly name: string;
  /** The last part of it, such as `Deployment`. */
  readonly shortName: string;
  /** In order of declaration, which is the order of JSON output; kinds have `kind` and `apiVersion` first. */
  readonly fields: readonly Field[];
  readonly field: (name: string) => Field | undefined;
  /** Set when the type is a kind of its own: it carries apiVersion and kind. */
  readonly kind: GroupVersionKind | undefined;
  /** Owned and replaced as a whole by server-side apply. */
  readonly isAtomic: boolean;
  /** What holds for every value of the type, wherever it is. */
  readonly constraints?: Constraints;
  /**
   * Any JSON can be read as such a type: what the schema does not name is pruned, and the schema judges the rest, in the
   * words of OpenAPI, as upstream does for custom resources. Of other types, a value must be of its type to be read at
   * all, absent and zero are often the same, and findings are worded as those of the built-in kinds.
   */
  readonly isStructural?: boolean;
  /**
   * The fields in the order in which upstream checks them, where that is not the order of declaration. Those that are
   * not named come at the `*`, or last.
   */
  readonly checkedFirst?: readonly string[];
  readonly unions: readonly UnionDefinition[];
  /** Fields that the type does not name are kept as they are, not dropped. */
  readonly preservesUnknown: boolean;
}

export interface Field {
  readonly name: string;
  /** The protobuf field number; 0 when the field does not travel in protobuf. */
  readonly number: number;
  /**
   * Protobuf numbers of the messages around the field, outermost first; nearly always empty. Example: `Volume.hostPath`
   * is flat in JSON, but in protobuf field 1 of the message `volumeSource`, which is field 2: number 1, inside [2].
   */
  readonly inside: readonly number[];
  readonly shape: Shape;
  /** `pointer`: absent differs from zero. `value`: absent and zero are the same thing. */
  readonly presence: 'pointer' | 'value';
  /**
   * When the field is left out of JSON: `empty` (zero scalar, empty list or map, absent pointer; a struct value never),
   * `zero` (also a struct value without content), or `never`.
   */
  readonly omit: 'empty' | 'zero' | 'never';
  readonly required: boolean;
  /** Published as required, but upstream does not ask for it. */
  readonly isOnlyPublished?: boolean;
  /** What is said when the required field is missing, beyond that. */
  readonly missingSays?: string;
  readonly immutable: boolean;
  /** The schema does not name the field: it is there because every object has it. */
  readonly isImplied?: boolean;
  /** How strategic merge patches treat the field. */
  readonly patchStrategy?: string;
  readonly mergeKey?: string;
  /** The Go type in decoding errors, where it does not follow from the shape. */
  readonly goType?: string | undefined;
  /** The Go structs around the field that JSON shows flat, outermost first. */
  readonly goInside?: readonly string[] | undefined;
}

/** A place where values are: a field, an item of a list, a value of a map, or the root of a type. */
export type Shape = ScalarShape | StructShape | ListShape | MapShape;

interface Place {
  /** What is said of the values here beyond their type. Places of which nothing is said share their shapes. */
  readonly constraints?: Constraints;
}

export interface ScalarShape extends Place {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** Bytes are a list to Go, and may be published as one. */
  readonly listType?: 'atomic' | 'set' | 'map';
}

export interface StructShape extends Place {
  readonly kind: 'struct';
  /** Said of this place: the struct is owned as a whole, or not, whatever it says of itself. */
  readonly mapType?: MapType;
  /** Resolved when first asked for: types may be recursive. */
  readonly struct: Struct;
}

export type MapType = 'atomic' | 'granular';

export interface ListShape extends Place {
  readonly kind: 'list';
  readonly element: Shape;
  /** Lists of which nothing is said are atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The fields that identify an element of a `map` list. */
  readonly keys?: readonly string[];
  /** A message of its own in protobuf, with the elements as field 1. */
  readonly isWrapped: boolean;
}

export interface MapShape extends Place {
  readonly kind: 'map';
  readonly value: Shape;
  readonly mapType?: MapType;
}

/** Values that are not built from fields; the special ones have a wire form of their own. */
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

/** A resource as the tables describe it; what it does is said in `resources/`. */
export interface ResourceInfo extends Omit<ResourceDefinition, 'subresources'>, GroupVersion {
  readonly subresources: readonly SubresourceInfo[];
  readonly type: Struct;
}

export interface SubresourceInfo {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly type: Struct;
}
