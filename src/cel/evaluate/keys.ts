import { Type } from '../types/index.ts';
import { Double, Duration, isList, Optional, Timestamp, Uint, type Value } from '../values/index.ts';

/** Whether a value can stand in brackets. */
export function isKey(value: Value): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return true;
    default:
      return value instanceof Uint || value instanceof Double;
  }
}

/** What Kubernetes' implementation calls the type of a value that cannot. */
export function goTypeName(value: Value): string {
  if (value === null) return 'types.Null';
  if (value instanceof Uint8Array) return 'types.Bytes';
  if (value instanceof Duration) return 'types.Duration';
  if (value instanceof Timestamp) return 'types.Timestamp';
  if (value instanceof Optional) return '*types.Optional';
  if (value instanceof Type) return '*types.Type';
  return isList(value) ? '*types.baseList' : '*types.baseMap';
}
