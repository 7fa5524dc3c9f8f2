import type { Field, ScalarName, Shape, Struct } from '../../api/index.ts';
import type { Schema } from './schema.ts';

/**
 * The schema of a type from the tables, as Kubernetes' type checking of policies sees it: quantities and free JSON have
 * no type there, and a type inside itself is an object without fields.
 */
export function structSchema(struct: Struct): Schema {
  return objectSchema(struct, new Set());
}

function objectSchema(struct: Struct, around: ReadonlySet<string>): Schema {
  if (around.has(struct.name)) return { type: 'object' };
  const inside = new Set([...around, struct.name]);
  const properties = struct.fields.map((field) => [field.name, fieldSchema(field, inside)] as const);
  const required = struct.fields.filter((field) => field.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function fieldSchema(field: Field, around: ReadonlySet<string>): Schema {
  const { shape } = field;
  const flags = shape.constraints ?? {};
  const schema = shapeSchema(shape, around);
  if (shape.kind === 'list') {
    return { ...schema, 'x-kubernetes-list-type': shape.listType, 'x-kubernetes-list-map-keys': shape.keys };
  }
  if (shape.kind !== 'scalar') return schema;
  const zero = field.presence === 'value' && field.omit === 'never' ? ZEROS[shape.scalar] : undefined;
  const value = flags.default ?? zero;
  return {
    ...schema,
    ...(flags.enum === undefined ? {} : { enum: flags.enum }),
    ...(value === undefined ? {} : { default: value }),
  };
}

function shapeSchema(shape: Shape, around: ReadonlySet<string>): Schema {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'struct':
      return objectSchema(shape.struct, around);
    case 'list':
      return { type: 'array', items: shapeSchema(shape.element, around) };
    case 'map':
      return { type: 'object', additionalProperties: shapeSchema(shape.value, around) };
  }
}

const ZEROS: Readonly<Partial<Record<ScalarName, unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

const SCALARS: Readonly<Record<ScalarName, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Quantity: {},
  IntOrString: { 'x-kubernetes-int-or-string': true },
  RawExtension: { type: 'object' },
  FieldsV1: { type: 'object' },
  JSON: {},
  JSONSchemaPropsOrArray: {},
  JSONSchemaPropsOrBool: {},
  JSONSchemaPropsOrStringArray: {},
};
