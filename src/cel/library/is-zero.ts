import { Boxed } from '../type-terms/index.ts';
import { Double, Duration, isList, isMap, listSize, mapSize, Timestamp, Uint, type Value } from '../values/index.ts';

/** A value that knows whether it is the zero of its type. */
export interface Zeroable {
  readonly isZero: boolean;
}

const ZERO_TIME_SECONDS = -62_135_596_800;

/** Whether a value is the empty or zero one of its type; types without such a value have none. */
export function isZero(value: Value): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object') return false;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.instant.seconds === ZERO_TIME_SECONDS && value.instant.nanos === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Boxed && 'isZero' in value) return (value as Boxed & Zeroable).isZero;
  if (isList(value)) return listSize(value) === 0;
  return isMap(value) && mapSize(value) === 0;
}
