import { Boxed } from '../type-terms/index.ts';
import { isList, ListValue } from './list.ts';
import { isMap, MapValue } from './map.ts';
import { isJsonObject, typeOf, type Value } from './value.ts';

/**
 * The type name of a value in Kubernetes' implementation, where that shows in messages. Data that was only read, not
 * computed, is `native` and has other names.
 */
export function goTypeName(value: Value, options: { readonly isNative?: boolean } = {}): string {
  switch (typeof value) {
    case 'string':
      return 'types.String';
    case 'number':
    case 'bigint':
      return 'types.Int';
    case 'boolean':
      return 'types.Bool';
    default:
  }
  const isNative = options.isNative === true;
  if (value === null) return isNative ? '<nil>' : 'types.Null';
  if (value instanceof Boxed) return value.goName;
  if (value instanceof Uint8Array) return 'types.Bytes';
  if (isJsonObject(value)) return isNative ? 'map[string]interface {}' : '*types.baseMap';
  return isNative ? '[]interface {}' : '*types.baseList';
}

/** Go's name for the type of the plain value behind a computed one. */
export function goNativeName(value: Value): string {
  if (value instanceof MapValue) return 'map[ref.Val]ref.Val';
  if (isList(value)) return value instanceof ListValue ? '[]interface {}' : '[]ref.Val';
  if (isMap(value)) return 'map[string]interface {}';
  return NATIVE_NAMES[typeOf(value).kind] ?? goTypeName(value);
}

const NATIVE_NAMES: Readonly<Record<string, string>> = {
  bool: 'bool',
  bytes: '[]uint8',
  double: 'float64',
  duration: 'time.Duration',
  int: 'int64',
  null: 'structpb.NullValue',
  timestamp: 'time.Time',
  type: 'string',
  uint: 'uint64',
};
