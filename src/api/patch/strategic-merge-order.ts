import { isPlainObject } from '../json/plain-object.ts';
import { DIRECTIVE } from './strategic-merge-directives.ts';
import { badType, noMergeKey } from './strategic-merge-error.ts';

/** How items of a list are told apart: objects by a member, everything else by itself. */
export interface ItemIdentity {
  readonly isMap: boolean;
  readonly mergeKey: string;
}

/** What an item is told apart by. */
export function identityOf(item: unknown, { isMap, mergeKey }: ItemIdentity): unknown {
  if (!isMap) return item;
  return isPlainObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : null;
}

/** Items by what they are told apart by: the place of the first one. */
export function firstPlaces(items: readonly unknown[], identity: ItemIdentity): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (let index = 0; index < items.length; index++) {
    const key = identityOf(items[index], identity);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}

export interface ItemOrders {
  /** The order of items that the patch is about. */
  readonly patch: readonly unknown[];
  /** The order of items in the live list. */
  readonly live: readonly unknown[];
}

/**
 * Merged items in the order they get: those the patch is about in its order, and the others, in the order of the live
 * list, before the first one that comes after them in the live list.
 */
export function orderItems(merged: readonly unknown[], orders: ItemOrders, identity: ItemIdentity): unknown[] {
  if (identity.mergeKey !== '') checkKeys(merged, identity.mergeKey);
  if (areInOrder(merged, orders.patch, identity) || areInLiveOrder(merged, orders, identity)) return [...merged];
  const named = firstPlaces(orders.patch, identity);
  const isNamed = (item: unknown): boolean => named.has(identityOf(item, identity));
  const patchItems = sortItems(merged.filter(isNamed), orders.patch, identity);
  const otherItems = sortItems(
    merged.filter((item) => !isNamed(item)),
    orders.live,
    identity,
  );
  return interleave(otherItems, patchItems, { places: firstPlaces(orders.live, identity), identity });
}

/** Whether the patch names all items, and in the order that they have: nothing is to be done then. */
function areInOrder(merged: readonly unknown[], order: readonly unknown[], identity: ItemIdentity): boolean {
  if (merged.length !== order.length) return false;
  const seen = new Set<unknown>();
  for (let index = 0; index < merged.length; index++) {
    const item = merged[index];
    const key = identityOf(item, identity);
    const isDeleted = isPlainObject(item) && Object.hasOwn(item, DIRECTIVE);
    if (isDeleted || key !== identityOf(order[index], identity) || seen.size === seen.add(key).size) return false;
  }
  return true;
}

/** Whether the items are those of the live list in its order, and the patch names some of them in the same order. */
function areInLiveOrder(merged: readonly unknown[], { patch, live }: ItemOrders, identity: ItemIdentity): boolean {
  if (patch.length > merged.length || !areInOrder(merged, live, identity)) return false;
  let named = 0;
  for (const item of merged) {
    const key = identityOf(item, identity);
    if (key === null) return false;
    if (named < patch.length && key === identityOf(patch[named], identity)) named += 1;
  }
  return named === patch.length;
}

/** Every item must be an object that has the key. */
export function checkKeys(items: readonly unknown[], mergeKey: string): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (!isPlainObject(item)) throw badType({}, item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}

/** Items in the order of another list; items marked for deletion come last. */
function sortItems(items: readonly unknown[], order: readonly unknown[], identity: ItemIdentity): unknown[] {
  const { isMap, mergeKey } = identity;
  if (isMap) {
    checkKeys(items, mergeKey);
    checkKeys(order, mergeKey);
  }
  const isDeleted = (item: unknown): boolean => isMap && isPlainObject(item) && item[DIRECTIVE] === 'delete';
  const places = firstPlaces(order, identity);
  const placed = items
    .filter((item) => !isDeleted(item))
    .map((item) => ({ item, place: places.get(identityOf(item, identity)) }));
  return [...insertionSorted(placed).map(({ item }) => item), ...items.filter(isDeleted)];
}

interface Placed {
  readonly item: unknown;
  readonly place: number | undefined;
}

/** Longer lists are sorted in another way by Go, which nobody has relied on. */
const INSERTION_SORT_LIMIT = 20;

/** An item without a place goes before the one it is compared with, so the result depends on how it is sorted: like this. */
function insertionSorted(items: readonly Placed[]): readonly Placed[] {
  const isPlaced = ({ place }: Placed): boolean => place !== undefined;
  if (items.length > INSERTION_SORT_LIMIT || items.every(isPlaced)) {
    const placed = items.filter(isPlaced).sort((left, right) => (left.place ?? 0) - (right.place ?? 0));
    return [...items.filter((item) => !isPlaced(item)).reverse(), ...placed];
  }
  const sorted = [...items];
  for (let end = 1; end < sorted.length; end++) {
    for (let at = end; at > 0; at--) {
      const [before, item] = [sorted[at - 1] as Placed, sorted[at] as Placed];
      if (item.place !== undefined && before.place !== undefined && item.place >= before.place) break;
      sorted[at - 1] = item;
      sorted[at] = before;
    }
  }
  return sorted;
}

function interleave(
  others: readonly unknown[],
  named: readonly unknown[],
  { places, identity }: { readonly places: ReadonlyMap<unknown, number>; readonly identity: ItemIdentity },
): unknown[] {
  const result: unknown[] = [];
  let at = 0;
  for (const item of named) {
    const place = places.get(identityOf(item, identity));
    while (at < others.length) {
      const otherPlace = places.get(identityOf(others[at], identity));
      if (place === undefined || otherPlace === undefined || otherPlace >= place) break;
      result.push(others[at++]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(at)];
}
