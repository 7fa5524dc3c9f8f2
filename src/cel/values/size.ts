import { codePointCount } from '../../base/index.ts';
import { isList, listSize } from './list.ts';
import { isMap, MapBase, mapSize } from './map.ts';
import { Opaque } from './opaque.ts';
import type { Value } from './value.ts';

/** `size(value)`: code points, bytes, elements or entries; undefined for what has no size. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (isList(value)) return listSize(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof MapBase) return value.length;
  return isMap(value) ? mapSize(value) : undefined;
}

/** Whether `size()` takes a value. */
export function isSized(value: Value): boolean {
  return typeof value === 'string' || sizeOf(value) !== undefined;
}

/** The size that the cost of a function depends on: one for whatever has none. */
export function costSize(value: Value): number {
  if (value instanceof Opaque) return value.size ?? 1;
  return sizeOf(value) ?? 1;
}
