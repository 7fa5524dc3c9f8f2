import type { Field, ScalarName, Shape, Struct } from '../schema/schema.ts';
import { quoteGo } from '../values/index.ts';
import { StrategicMergeError } from './strategic-merge-error.ts';

/** The properties of a type that strategic merge needs. */
export interface PatchSchema {
  /** The Go kind of the type: `struct`, `map`, `slice`, `string`… */
  readonly kind: string;
  readonly struct: Struct | undefined;
  /** The name of a type whose fields cannot be patched. */
  readonly name: string;
}

/** How a field is patched, and the type of its value. */
export interface PatchRule {
  readonly schema: PatchSchema;
  /** `merge` for lists that are merged, `replace` for objects that are replaced. */
  readonly strategy: string;
  readonly mergeKey: string;
}

export function structSchema(struct: Struct): PatchSchema {
  return { kind: 'struct', struct, name: struct.shortName };
}

/** How an object member of an object of this type is patched. */
export function ruleForMap(schema: PatchSchema, name: string): PatchRule {
  const field = findField(schema, name);
  return ruleFor(field, schemaOf(field.shape));
}

/** The same for a list; the schema is that of its elements. */
export function ruleForList(schema: PatchSchema, name: string): PatchRule {
  const field = findField(schema, name);
  if (field.shape.kind !== 'list') {
    throw new StrategicMergeError(`expected slice or array type, but got: ${schema.kind}`);
  }
  const element = schemaOf(field.shape.element);
  if (element.kind === 'slice') throw new StrategicMergeError('unexpected slice of slice');
  return ruleFor(field, element);
}

function findField({ kind, struct, name: typeName }: PatchSchema, name: string): Field {
  if (kind !== 'struct') {
    throw new StrategicMergeError(`merging an object in json but data type is not struct, instead is: ${kind}`);
  }
  const lower = name.toLowerCase();
  const field = struct?.field(name) ?? struct?.fields.find((one) => one.name.toLowerCase() === lower);
  if (field !== undefined) return field;
  throw new StrategicMergeError(`unable to find api field in struct ${typeName} for the json field ${quoteGo(name)}`);
}

function ruleFor({ patchStrategy = '', mergeKey = '' }: Field, schema: PatchSchema): PatchRule {
  const strategies = patchStrategy.split(',').filter((strategy) => strategy !== 'retainKeys');
  return { schema, strategy: strategies[0] ?? '', mergeKey };
}

function schemaOf(shape: Shape): PatchSchema {
  switch (shape.kind) {
    case 'struct':
      return structSchema(shape.struct);
    case 'list':
      return { kind: 'slice', struct: undefined, name: '' };
    case 'map':
      return { kind: 'map', struct: undefined, name: '' };
    case 'scalar':
      return { kind: GO_KINDS[shape.scalar] ?? 'struct', struct: undefined, name: shape.scalar };
  }
}

/** Scalars that are not structs in Go. */
const GO_KINDS: Partial<Readonly<Record<ScalarName, string>>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
  double: 'float64',
  bytes: 'slice',
};
