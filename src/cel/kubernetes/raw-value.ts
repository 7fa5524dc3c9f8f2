import { Concatenation, Double, listItems, MapValue, type Value } from '../values/index.ts';

/** A value backed by a piece of JSON. */
export interface RawHolder {
  readonly raw: unknown;
}

/** Marks a list or map built by an expression, which Kubernetes cannot convert to JSON. */
export const FOREIGN = Symbol('no JSON');

/** The JSON behind a value; other values without JSON are returned unchanged. */
export function rawOf(value: Value): unknown {
  if (value instanceof Double) return value.value;
  if (Array.isArray(value) || value instanceof MapValue) return FOREIGN;
  if (value instanceof Concatenation) return listItems(value).map(rawOf);
  if (typeof value === 'object' && value !== null && 'raw' in value && value.constructor !== Object) {
    return (value as unknown as RawHolder).raw;
  }
  return value;
}
