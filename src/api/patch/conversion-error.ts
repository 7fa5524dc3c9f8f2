import { compareUtf8 } from '../../base/index.ts';
import { checkScalar } from '../json/go-scalars.ts';
import { goElementType, goTypeOf } from '../json/go-types.ts';
import { nodeOf } from '../json/json-node.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { isSchemaScalar } from '../json/schema-rules.ts';
import type { ScalarName, Shape, Struct } from '../schema/schema.ts';
import { goType } from './go-value-text.ts';

/**
 * Kubernetes' error when it cannot convert a decoded value into a type. It differs from the error about JSON, because
 * objects that are merged member by member never become JSON again. Undefined if there is none.
 */
export function conversionError(value: unknown, struct: Struct): string | undefined {
  return structError(value, struct);
}

function structError(value: unknown, struct: Struct): string | undefined {
  if (!isPlainObject(value)) return `cannot restore struct from: ${kindOf(value)}`;
  for (const field of struct.fields) {
    const member = Object.hasOwn(value, field.name) ? value[field.name] : null;
    const problem = valueError(member, field.shape, goTypeOf(field));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valueError(value: unknown, shape: Shape, type: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (shape.kind) {
    case 'struct':
      return structError(value, shape.struct);
    case 'map': {
      if (!isPlainObject(value)) return `cannot restore map from ${kindOf(value)}`;
      const names = Object.keys(value).sort(compareUtf8);
      return firstError(
        names.map((name) => value[name]),
        shape.value,
        goElementType(type, shape.value),
      );
    }
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
      return firstError(value, shape.element, goElementType(type, shape.element));
    case 'scalar':
      return scalarError(value, shape.scalar, type);
  }
}

function firstError(values: readonly unknown[], shape: Shape, type: string): string | undefined {
  for (const value of values) {
    const problem = valueError(value, shape, type);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function scalarError(value: unknown, scalar: ScalarName, type: string): string | undefined {
  if (isSchemaScalar(scalar)) return undefined;
  const kind = PLAIN_KINDS[scalar];
  if (kind !== undefined) return plainError(value, kind, type);
  if (scalar === 'bytes' && typeof value !== 'string') return `cannot restore slice from ${kindOf(value)}`;
  const found = checkScalar(nodeOf(value), scalar, type);
  if (found === undefined) return undefined;
  const text =
    'message' in found ? found.message : `json: cannot unmarshal ${found.value} into Go value of type ${found.type}`;
  return scalar === 'bytes' ? `error decoding from json: ${text}` : text;
}

/** Go converts between numbers, and would convert integers to text, which is refused with another message. */
function plainError(value: unknown, kind: string, type: string): string | undefined {
  const source = goType(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (kind === 'string') {
    if (typeof value === 'string') return undefined;
    return source === 'int64' ? `cannot convert int64 to ${type}` : 'unrecognized type: string';
  }
  if (kind === 'bool') return typeof value === 'boolean' ? undefined : 'unrecognized type: bool';
  if (!isNumber) return `unrecognized type: ${kind}`;
  if (kind === 'float64') return undefined;
  const isWhole = typeof value === 'bigint' ? fits(value, kind) : Number.isInteger(value) && fits(BigInt(value), kind);
  return isWhole ? undefined : `cannot convert ${source} to ${type}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  return isPlainObject(value) ? 'map' : goType(value);
}

/** The Go kinds of scalars that are not named types. */
const PLAIN_KINDS: Partial<Readonly<Record<ScalarName, string>>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
  double: 'float64',
};

/** Go would truncate numbers that do not fit; they are refused here. */
function fits(value: bigint, kind: string): boolean {
  return BigInt.asIntN(kind === 'int32' ? 32 : 64, value) === value;
}
