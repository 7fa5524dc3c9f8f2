import { isPlainObject, type PlainObject } from '../json/plain-object.ts';
import { goText } from './go-value-text.ts';
import {
  DIRECTIVE,
  DROPPED,
  ELEMENT_ORDER,
  isMarked,
  listNameIn,
  withoutDirectives,
} from './strategic-merge-directives.ts';
import { badFormat, badType, noMergeKey, StrategicMergeError } from './strategic-merge-error.ts';
import { areMaps, type ListMerge, mergePatchList } from './strategic-merge-lists.ts';
import { checkKeys, orderItems } from './strategic-merge-order.ts';
import { type PatchSchema, ruleForList } from './strategic-merge-schema.ts';

type List = readonly unknown[];

/** Merges the lists whose order a patch sets into `result`. Removes the processed directives and lists from the patch. */
export function mergeOrderedLists(
  result: PlainObject,
  patch: PlainObject,
  { schema, mergeMaps }: { readonly schema: PatchSchema; readonly mergeMaps: ListMerge['mergeMaps'] },
): void {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(ELEMENT_ORDER)) continue;
    const order = patch[key];
    delete patch[key];
    if (!Array.isArray(order)) throw badType([], order);
    const name = listNameIn(key, ELEMENT_ORDER);
    if (name === undefined) throw badFormat('setElementOrder list');
    const original = listIn(result, name);
    const patchList = listIn(patch, name);
    const rule = ruleForList(schema, name);
    checkOrder(patchList ?? [], order, rule.mergeKey);
    const merged = merge(original, patchList, { rule, isDeletion: false, mergeMaps });
    if (merged === undefined) continue;
    if (rule.mergeKey !== '') checkKeys(order, rule.mergeKey);
    const isMap = areMaps([original ?? [], patchList ?? []]);
    result[name] = orderItems(
      merged,
      { patch: order, live: liveOrder(original ?? [], patchList ?? [], rule.mergeKey) },
      { isMap, mergeKey: rule.mergeKey },
    );
    delete patch[name];
  }
}

function listIn(object: PlainObject, name: string): List | undefined {
  if (!Object.hasOwn(object, name)) return undefined;
  const list = object[name];
  if (!Array.isArray(list)) throw badType([], list);
  return list as List;
}

function merge(original: List | undefined, patch: List | undefined, options: ListMerge): List | undefined {
  if (patch === undefined) return original;
  if (original !== undefined) return mergePatchList(original, patch, options);
  const kept = withoutDirectives(patch);
  return kept === DROPPED ? undefined : (kept as List);
}

/**
 * The assumed order of live items. If the patch deletes items, its new ones take the freed places at the end, because
 * Kubernetes changes the list in place while iterating it.
 */
function liveOrder(original: List, patch: List, mergeKey: string): List {
  const items = patch.filter(isPlainObject);
  const deleted = new Set(items.filter((item) => item[DIRECTIVE] === 'delete').map((item) => item[mergeKey]));
  if (mergeKey === '' || deleted.size === 0) return original;
  const keyOf = (item: unknown): unknown => (isPlainObject(item) ? item[mergeKey] : undefined);
  const kept = original.filter((item) => !deleted.has(keyOf(item)));
  const known = new Set(kept.map(keyOf));
  const added = items.filter((item) => !isMarked(item) && !known.has(keyOf(item)));
  return [...kept, ...added.slice(0, original.length - kept.length)];
}

/** The items of the patch must be in the set order, and part of it. */
function checkOrder(patch: List, order: List, mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => !isDeleted(item));
  let at = 0;
  let next = 0;
  while (at < items.length && next < order.length) {
    if (isMarked(items[at])) {
      at += 1;
      continue;
    }
    if (isSameItem(items[at], order[next], mergeKey)) at += 1;
    next += 1;
  }
  if (at < items.length && next >= order.length) {
    throw new StrategicMergeError(
      `The order in patch list:\n${goText(patch)}\n doesn't match ${ELEMENT_ORDER} list:\n${goText(order)}\n`,
    );
  }
}

function isDeleted(item: unknown): boolean {
  if (!isPlainObject(item)) throw badType({}, item);
  return item['$patch'] === 'delete';
}

function isSameItem(left: unknown, right: unknown, mergeKey: string): boolean {
  if (mergeKey === '') return left === right;
  for (const item of [left, right]) if (!isPlainObject(item)) throw badType({}, item);
  for (const item of [left, right] as readonly PlainObject[]) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
  return (left as PlainObject)[mergeKey] === (right as PlainObject)[mergeKey];
}
