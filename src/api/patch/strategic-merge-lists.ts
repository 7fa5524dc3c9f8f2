import { isPlainObject, type PlainObject } from '../json/plain-object.ts';
import { goText, goType } from './go-value-text.ts';
import { DIRECTIVE } from './strategic-merge-directives.ts';
import { badDirective, noListOfLists, noMergeKey, StrategicMergeError } from './strategic-merge-error.ts';
import { orderItems } from './strategic-merge-order.ts';
import type { PatchRule, PatchSchema } from './strategic-merge-schema.ts';

type List = readonly unknown[];

export interface ListMerge {
  readonly rule: PatchRule;
  /** The patch lists the scalars to remove. */
  readonly isDeletion: boolean;
  mergeMaps(original: PlainObject, patch: PlainObject, schema: PatchSchema): unknown;
}

/** Merges a patch list into a list: scalars are united, objects merged with those that have the same key. */
export function mergePatchList(original: List, patch: List, merge: ListMerge): List {
  const { rule, isDeletion } = merge;
  if (rule.strategy !== 'merge' && !isDeletion) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const isMap = areMaps([original, patch]);
  const { mergeKey } = rule;
  if (!isMap) {
    if (isDeletion) return withoutItems(original, patch);
    const merged = withoutDuplicates([...original, ...patch]);
    return orderItems(merged, { patch, live: original }, { isMap, mergeKey });
  }
  if (mergeKey === '') throw new StrategicMergeError(`cannot merge lists without merge key for ${rule.schema.kind}`);
  const marked = applyMarkedItems(original as readonly PlainObject[], patch as readonly PlainObject[], mergeKey);
  const merged = mergeItems(marked.original, marked.patch, merge);
  return orderItems(merged, { patch: marked.patch, live: marked.original }, { isMap, mergeKey });
}

/** Whether the items are objects. All must have the same type, which cannot be a list. */
export function areMaps(lists: readonly List[]): boolean {
  const filled = lists.find(({ length }) => length > 0);
  if (filled === undefined) throw new StrategicMergeError('no elements in any of the given slices');
  const [first] = filled;
  if (first === null || first === undefined) throw new StrategicMergeError('a list that is merged starts with null');
  if (Array.isArray(first)) throw noListOfLists();
  const type = goType(first);
  for (const items of lists) {
    for (let index = 0; index < items.length; index++) {
      if (goType(items[index]) === type) continue;
      throw new StrategicMergeError(`list element types are not identical: ${goText(lists)}`);
    }
  }
  return isPlainObject(first);
}

interface MapLists {
  readonly original: readonly PlainObject[];
  readonly patch: readonly PlainObject[];
}

/** Processes the marked items of the patch: deletes items by key, or replaces the list by the rest of the patch. */
function applyMarkedItems(original: readonly PlainObject[], patch: readonly PlainObject[], mergeKey: string): MapLists {
  const plain: PlainObject[] = [];
  const deleted = new Set<unknown>();
  let isReplaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, DIRECTIVE)) {
      plain.push(item);
      continue;
    }
    switch (item[DIRECTIVE]) {
      case 'delete':
        if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
        deleted.add(item[mergeKey]);
        break;
      case 'replace':
        isReplaced = true;
        break;
      case 'merge':
        throw new StrategicMergeError('merging lists cannot yet be specified in the patch');
      default:
        throw badDirective(item[DIRECTIVE], item);
    }
  }
  if (isReplaced) return { original: plain, patch: [] };
  const kept = deleted.size === 0 ? original : original.filter((item) => !hasKeyIn(item, mergeKey, deleted));
  return { original: kept, patch: plain };
}

function hasKeyIn(item: PlainObject, mergeKey: string, values: ReadonlySet<unknown>): boolean {
  return Object.hasOwn(item, mergeKey) && values.has(item[mergeKey]);
}

function mergeItems(original: readonly PlainObject[], patch: readonly PlainObject[], merge: ListMerge): unknown[] {
  const { mergeKey, schema } = merge.rule;
  const merged: unknown[] = [...original];
  const places = new Map<unknown, number>();
  for (let index = 0; index < original.length; index++) {
    const item = original[index] as PlainObject;
    if (Object.hasOwn(item, mergeKey) && !places.has(item[mergeKey])) places.set(item[mergeKey], index);
  }
  for (const item of patch) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    const place = places.get(item[mergeKey]);
    if (place === undefined) {
      places.set(item[mergeKey], merged.length);
      merged.push(item);
    } else {
      merged[place] = merge.mergeMaps(merged[place] as PlainObject, item, schema);
    }
  }
  return merged;
}

/**
 * A list of scalars without duplicates. The first of equal ones stays; the last item of the list takes the place of each
 * other one, as in Kubernetes, because clients see the order.
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

/** Removes the items at these sorted places: the last remaining item moves to the first of them. */
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

function withoutItems(items: readonly unknown[], removed: readonly unknown[]): unknown[] {
  const gone = new Set(removed);
  return items.filter((item) => !gone.has(item));
}
