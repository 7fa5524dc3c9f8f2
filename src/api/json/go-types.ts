import { unreachable } from '../../base/index.ts';
import type { Field, ScalarName, Shape, Struct } from '../schema/schema.ts';
import { goTypeNames } from './go-type-names.ts';

/** What Go calls the type of a field, without pointers: `int32`, `v1.Protocol`, `[]v1.Container`, `map[string]string`. */
export function goTypeOf(struct: Struct, field: Field): string {
  return namesOf(struct)?.get(field.name) ?? goTypeOfShape(field.shape);
}

/** The Go names of the structs around a field that JSON shows flat, outermost first. */
export function goEmbedding(struct: Struct, field: Field): readonly string[] {
  if (struct.kind !== undefined && field.number === 0 && TYPE_META.has(field.name)) return ['TypeMeta'];
  return field.inside.flatMap((_, index) => namesOf(struct)?.get(field.inside.slice(0, index + 1).join('.')) ?? []);
}

export function goStructName(struct: Struct): string {
  return struct.name.split('.').slice(-2).join('.');
}

/** The type of a list's elements or a map's values, from its own. */
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

type Names = ReadonlyMap<string, string>;

let namesByStruct: ReadonlyMap<string, Names> | undefined;

function namesOf(struct: Struct): Names | undefined {
  namesByStruct ??= readNames();
  return namesByStruct.get(struct.name);
}

function readNames(): Map<string, Names> {
  const all = new Map<string, Names>();
  let pack = '';
  for (const line of goTypeNames.trim().split('\n')) {
    if (!line.startsWith(' ')) {
      pack = line;
      continue;
    }
    const [struct = '', ...pairs] = line.trim().split(' ');
    all.set(`${pack}.${struct}`, new Map(pairs.map((pair) => pair.split(/[=<]/, 2) as [string, string])));
  }
  return all;
}
