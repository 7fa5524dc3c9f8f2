/** The first index of each item: an item at another index is a duplicate. */
export function firstIndexes<T>(items: readonly T[]): ReadonlyMap<T, number> {
  const first = new Map<T, number>();
  for (const [index, item] of items.entries()) if (!first.has(item)) first.set(item, index);
  return first;
}
