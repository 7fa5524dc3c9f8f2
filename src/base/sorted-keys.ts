import { compareCodePoints } from './utf8-order.ts';

/** The first position whose key is not below `key`. */
export function lowerBound(keys: readonly string[], key: string, isNative: boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = keys[middle] as string;
    if (isNative ? candidate < key : compareCodePoints(candidate, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first position whose key is above `key`. */
export function upperBound(keys: readonly string[], key: string, isNative: boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = keys[middle] as string;
    if (isNative ? key < candidate : compareCodePoints(key, candidate) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `splice` allocates an array for each call; shifting some twenty elements does not. */
export function insertAt<T>(items: T[], index: number, item: T): void {
  for (let to = items.length; to > index; to--) items[to] = items[to - 1] as T;
  items[index] = item;
}

export function removeAt(items: unknown[], index: number): void {
  for (let to = index; to < items.length - 1; to++) items[to] = items[to + 1];
  items.pop();
}
