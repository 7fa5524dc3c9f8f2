import { Type } from '../../type-terms/index.ts';
import {
  CelError,
  Double,
  Duration,
  goNativeName,
  isList,
  isMap,
  listItems,
  mapKeys,
  Opaque,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../../values/index.ts';

/** The name of a message type in Kubernetes' implementation. */
export const MESSAGE = '*dynamicpb.Message';

/** The name of a field's type in Kubernetes' implementation. */
export type FieldKind =
  | 'bool'
  | '[]uint8'
  | 'float32'
  | 'float64'
  | 'int32'
  | 'int64'
  | 'string'
  | 'uint32'
  | 'uint64'
  | 'protoreflect.EnumNumber'
  | '*structpb.ListValue'
  | '*structpb.Struct'
  | '*structpb.Value';

/** The content of a field set to this value, or an error when the value does not fit. */
export function fieldContent(value: Value, kind: FieldKind): Value {
  if (value instanceof Optional) {
    return value.value === undefined ? new CelError('optional.none() dereference') : fieldContent(value.value, kind);
  }
  switch (kind) {
    case 'bool':
      return typeof value === 'boolean' ? value : mismatch(value, kind);
    case 'string':
      return typeof value === 'string' ? value : (textOf(value) ?? mismatch(value, kind));
    case '[]uint8':
      return value instanceof Uint8Array ? value : isList(value) ? bytesOf(listItems(value)) : mismatch(value, kind);
    case 'float64':
      return value instanceof Double ? value : mismatch(value, kind);
    case 'float32':
      return value instanceof Double ? new Double(Math.fround(value.value)) : mismatch(value, kind);
    case 'int64':
      return isInt(value) ? value : mismatch(value, kind);
    case 'int32':
    case 'protoreflect.EnumNumber':
      if (!isInt(value)) return mismatch(value, kind);
      return value >= -(2 ** 31) && value < 2 ** 31 ? value : new CelError('integer overflow');
    case 'uint64':
      return value instanceof Uint ? value : mismatch(value, kind);
    case 'uint32':
      if (!(value instanceof Uint)) return mismatch(value, kind);
      return value.value < 2n ** 32n ? value : new CelError('unsigned integer overflow');
    default:
      throw new Error(`Cannot convert to "${kind}" here`);
  }
}

/** Values of Kubernetes' libraries that were parsed from strings become strings again where a string is wanted. */
const READ_FROM_TEXT = /^(?:kubernetes|net)\.(Quantity|URL|IP|CIDR|Semver)$/;

function textOf(value: Value): string | undefined {
  return value instanceof Opaque && READ_FROM_TEXT.test(value.type.name) ? String(value) : undefined;
}

function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function bytesOf(items: readonly Value[]): Value {
  const wrong = items.find((item) => !(item instanceof Uint));
  if (wrong !== undefined) return mismatch(wrong, 'uint8');
  const numbers = items.map((item) => (item as Uint).value);
  return numbers.every((number) => number < 256n)
    ? Uint8Array.from(numbers, Number)
    : new CelError('unsigned integer overflow');
}

/** The error for a value that does not fit a field; each type words it differently. */
export function mismatch(value: Value, wanted: string): CelError {
  return new CelError(mismatchText(value, wanted));
}

function mismatchText(value: Value, wanted: string): string {
  if (typeof value === 'string') return `unsupported native conversion from string to '${wanted}'`;
  if (isInt(value)) return `unsupported type conversion from 'int' to ${wanted}`;
  if (value instanceof Uint) return `unsupported type conversion from 'uint' to ${wanted}`;
  if (value instanceof Type) return "type conversion not supported for 'type'";
  if (isMap(value) && wanted === '*structpb.ListValue') return noSuchField(mapKeys(value));
  return `type conversion error from ${sourceName(value)} to '${wanted}'`;
}

/** A map is taken for the fields of a message, whose Go names begin with capitals. */
function noSuchField(keys: Iterable<Value>): string {
  const [first = ''] = keys;
  const name = String(first).replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
  return `type conversion error, no such field '${name}' in type 'structpb.ListValue'`;
}

function sourceName(value: Value): string {
  if (value === null) return "'null_type'";
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof Double) return 'Double';
  if (value instanceof Uint8Array) return 'Bytes';
  if (value instanceof Duration) return "'Duration'";
  if (value instanceof Timestamp) return "'Timestamp'";
  if (isList(value)) return 'list';
  if (isMap(value)) return 'map';
  return `'${nameOfOpaque(value)}'`;
}

function nameOfOpaque(value: Value): string {
  if (!(value instanceof Opaque)) return goNativeName(value);
  const { name } = value.type;
  if (name.startsWith('google.protobuf.')) return MESSAGE;
  return name === 'kubernetes.NamedFormat' ? 'Format' : (READ_FROM_TEXT.exec(name)?.[1] ?? name);
}
