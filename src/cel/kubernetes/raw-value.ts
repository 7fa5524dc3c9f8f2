import { Concatenation, Double, listItems, MapValue, type Value } from '../values/index.ts';

/** A value that stands for a piece of JSON. */
export interface RawHolder {
  readonly raw: unknown;
}

/** Stands for a list or map that an expression made: Kubernetes cannot take it for JSON. */
export const FOREIGN = Symbol('no JSON');

/** The JSON behind a value; other values that have none stay as they are. */
export function rawOf(value: Value): unknown {
  if (value instanceof Double) return value.value;
  if (Array.isArray(value) || value instanceof MapValue) return FOREIGN;
  if (value instanceof Concatenation) return listItems(value).map(rawOf);
  if (typeof value === 'object' && value !== null && 'raw' in value && value.constructor !== Object) {
    return (value as unknown as RawHolder).raw;
  }
  return value;
}
