import { Double, type Value } from '../values/index.ts';

/** A value that stands for a piece of JSON. */
export interface RawHolder {
  readonly raw: unknown;
}

/** The JSON behind a value; values that have none stay as they are. */
export function rawOf(value: Value): unknown {
  if (value instanceof Double) return value.value;
  if (typeof value === 'object' && value !== null && 'raw' in value && value.constructor !== Object) {
    return (value as unknown as RawHolder).raw;
  }
  return value;
}
