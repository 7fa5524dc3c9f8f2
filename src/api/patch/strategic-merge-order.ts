import { isPlainObject } from '../json/plain-object.ts';
import { DIRECTIVE } from './strategic-merge-directives.ts';
import { badType, noMergeKey } from './strategic-merge-error.ts';

/** How list items are identified: objects by a member, everything else by value. */
export interface ItemIdentity {
  readonly isMap: boolean;
  readonly mergeKey: string;
}

/** The identity of an item. */
export function identityOf(item: unknown, { isMap, mergeKey }: ItemIdentity): unknown {
  if (!isMap) return item;
  return isPlainObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : null;
}

/** The index of the first item with each identity. */
export function firstPlaces(items: readonly unknown[], identity: ItemIdentity): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (let index = 0; index < items.length; index++) {
    const key = identityOf(items[index], identity);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}

export interface ItemOrders {
  /** The order of items in the patch. */
  readonly patch: readonly unknown[];
  /** The order of items in the live list. */
  readonly live: readonly unknown[];
}

/**
 * Sorts merged items: those of the patch in its order; each other one, in live order, before the first item that follows it
 * in the live list.
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

/** Whether the patch lists all items in their current order: then nothing is to be done. */
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

/** Whether the items are in live order, and the patch lists some of them in the same order. */
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

/** Checks that every item is an object with the key. */
export function checkKeys(items: readonly unknown[], mergeKey: string): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (!isPlainObject(item)) throw badType({}, item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}

/** Sorts items in the order of another list; items marked for deletion come last. */
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

/** Go sorts longer lists differently, which no client relies on. */
const INSERTION_SORT_LIMIT = 20;

/** An item without a place goes before the one it is compared with, so the result depends on the algorithm: this one. */
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
