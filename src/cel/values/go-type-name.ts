import { Boxed } from '../types/index.ts';
import { isJsonObject, type Value } from './value.ts';

/**
 * What Kubernetes' implementation calls the type of a value, where that shows in messages. Data that was only read and
 * not computed is `native`: it has other names.
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
