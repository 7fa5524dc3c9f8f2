import { compareUtf8 } from '../../base/index.ts';
import { lengthen, NumberToken } from './number-token.ts';
import { type PlainObject, setOwn } from './plain-object.ts';
import { MISMATCH, type Walk } from './walk.ts';

/** Keeps an untyped value in its order: itself if the caller gave it up or it is frozen, otherwise a copy. */
export function keepRaw(value: unknown, walk: Walk): unknown {
  if (typeof value !== 'object' || value === null) return keepLeaf(value);
  if (walk.sortsRaw || !walk.mayShare(value)) return copy(value, walk, walk.sortsRaw);
  survey(value, walk);
  return value;
}

/** The same with the keys of all objects sorted, as Go prints maps. */
export function keepSorted(value: unknown, walk: Walk): unknown {
  return typeof value === 'object' && value !== null ? copy(value, walk, true) : keepLeaf(value);
}

/** Counts keys and depth, as copying does. */
function survey(value: object, walk: Walk): void {
  walk.enter();
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) survey(item as object, walk);
  } else {
    for (const key in value) {
      walk.keys += 1;
      const child = (value as PlainObject)[key];
      if (typeof child === 'object' && child !== null) survey(child, walk);
    }
  }
  walk.leave();
}

function copy(value: object, walk: Walk, isSorted: boolean): unknown {
  if (value instanceof NumberToken) return keepLeaf(value);
  if (value instanceof Uint8Array) return value;
  walk.enter();
  const result = Array.isArray(value)
    ? value.map((item) => (typeof item === 'object' && item !== null ? copy(item, walk, isSorted) : keepLeaf(item)))
    : copyObject(value as PlainObject, walk, isSorted);
  walk.leave();
  return result;
}

function copyObject(source: PlainObject, walk: Walk, isSorted: boolean): PlainObject {
  const keys = Object.keys(source);
  walk.keys += keys.length;
  if (isSorted) sortKeys(keys);
  const result: PlainObject = {};
  for (const key of keys) {
    const value = source[key];
    if (value === undefined) continue;
    setOwn(result, key, typeof value === 'object' && value !== null ? copy(value, walk, isSorted) : keepLeaf(value));
  }
  return result;
}

function keepLeaf(value: unknown): unknown {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw MISMATCH;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? lengthen(value) : value;
  }
  if (value instanceof NumberToken) {
    const number = value.toUntyped();
    if (number === undefined) throw MISMATCH;
    return number;
  }
  return value;
}

/** Sorts keys by their UTF-8 bytes, in place. */
export function sortKeys(keys: string[]): void {
  for (let index = 1; index < keys.length; index++) {
    if (compareUtf8(keys[index - 1] ?? '', keys[index] ?? '') > 0) {
      keys.sort(compareUtf8);
      return;
    }
  }
}

/** The number of keys in all objects inside a value. Does not recurse, because nothing limits the depth here. */
export function countKeys(value: unknown): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) count += children.length;
    for (const child of children) pending.push(child);
  }
  return count;
}
