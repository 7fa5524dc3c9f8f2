/**
 * A list of scalars without duplicates. The first of equal ones stays; the place of each other one is taken by the last
 * item of the list, which is what Kubernetes does, and clients see the order.
 */
export function withoutDuplicates(items: readonly unknown[]): unknown[] {
  const list = [...items];
  const places = new Map<unknown, Set<number>>();
  for (const [index, item] of list.entries()) {
    const known = places.get(item);
    if (known === undefined) places.set(item, new Set([index]));
    else known.add(index);
  }
  for (let index = 0; index < list.length; index++) {
    const same = places.get(list[index]) ?? new Set<number>();
    const duplicates = [...same].filter((place) => place > index).sort((left, right) => left - right);
    for (const place of duplicates) same.delete(place);
    fillFromEnd(list, duplicates, places);
  }
  return list;
}

/** Takes items out at these places, which are in order: the last item of the list that stays goes to the first of them. */
function fillFromEnd(list: unknown[], removed: readonly number[], places: ReadonlyMap<unknown, Set<number>>): void {
  let end = removed.length;
  for (let at = 0; at < end; at++) {
    while (at < end && removed[end - 1] === list.length - 1) {
      list.pop();
      end -= 1;
    }
    if (at >= end) return;
    const place = removed[at] as number;
    const moved = list.pop();
    const movedPlaces = places.get(moved);
    movedPlaces?.delete(list.length);
    movedPlaces?.add(place);
    list[place] = moved;
  }
}

export function withoutItems(items: readonly unknown[], removed: readonly unknown[]): unknown[] {
  const gone = new Set(removed);
  return items.filter((item) => !gone.has(item));
}
