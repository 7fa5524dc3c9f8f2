import { unreachable } from '../../base/index.ts';
import type { Field, ScalarName, Shape, Struct } from '../schema/schema.ts';

/** The Go type of a field, without pointers: `int32`, `v1.Protocol`, `[]v1.Container`, `map[string]string`. */
export function goTypeOf({ goType, shape }: Field): string {
  return goType ?? goTypeOfShape(shape);
}

/** The Go names of the structs that embed a field, outermost first. */
export function goEmbedding(struct: Struct, field: Field): readonly string[] {
  if (struct.kind !== undefined && field.number === 0 && TYPE_META.has(field.name)) return ['TypeMeta'];
  return field.goInside ?? [];
}

export function goStructName(struct: Struct): string {
  return struct.name.split('.').slice(-2).join('.');
}

/** The type of a list's elements or a map's values, from the type of the whole. */
export function goElementType(type: string, element: Shape): string {
  const match = /^(?:\[\]|map\[[^\]]*\])(.*)$/.exec(type);
  return match?.[1] ?? goTypeOfShape(element);
}

export function goTypeOfShape(shape: Shape): string {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'struct':
      return goStructName(shape.struct);
    case 'list':
      return `[]${goTypeOfShape(shape.element)}`;
    case 'map':
      return `map[string]${goTypeOfShape(shape.value)}`;
    default:
      return unreachable(shape);
  }
}

const TYPE_META: ReadonlySet<string> = new Set(['kind', 'apiVersion']);

const SCALARS: Readonly<Record<ScalarName, string>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
  double: 'float64',
  bytes: '[]uint8',
  Quantity: 'resource.Quantity',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Duration: 'v1.Duration',
  IntOrString: 'intstr.IntOrString',
  JSON: 'v1.JSON',
  RawExtension: 'runtime.RawExtension',
  FieldsV1: 'v1.FieldsV1',
  JSONSchemaPropsOrArray: 'v1.JSONSchemaPropsOrArray',
  JSONSchemaPropsOrBool: 'v1.JSONSchemaPropsOrBool',
  JSONSchemaPropsOrStringArray: 'v1.JSONSchemaPropsOrStringArray',
};
