/** Where each item comes first: one that is at another place repeats it. */
export function firstIndexes<T>(items: readonly T[]): ReadonlyMap<T, number> {
  const first = new Map<T, number>();
  for (const [index, item] of items.entries()) if (!first.has(item)) first.set(item, index);
  return first;
}
