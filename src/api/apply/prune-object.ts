import type { Converting } from './conversion.ts';
import { difference, intersection, isSubset, union } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldEntry, FieldSet } from './field-set.ts';
import type { FieldManager, FieldManagers } from './field-managers.ts';
import { setOf } from './set-of.ts';
import { inVersion, type TypedObject } from './versions.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { setOwn } from '../json/index.ts';
import { itemElement } from './list-items.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';

export interface Pruning {
  /** The applier's set from its last configuration. */
  readonly last: FieldManager | undefined;
  /** All managers, including the applier with its new set. */
  readonly managers: FieldManagers;
  /** The fields that the new configuration sets. */
  readonly applied: FieldSet;
}

/**
 * Removes from the merged object what the applier's last configuration had and the new one has not, unless another manager
 * owns it. Ownership of the item itself decides, not of its contents: a removed item disappears as a whole only if nothing
 * in it belongs to others.
 */
export function* pruneObject(merged: TypedObject, pruning: Pruning): Converting<TypedObject> {
  const { last, applied } = pruning;
  // The most common case: applying everything again removes nothing.
  if (last === undefined || last.set.isEmpty || isSubset(last.set, applied)) return merged;
  return yield* pruneLast(merged, last, pruning);
}

/** The same without the check whether there is anything to do. */
export function* pruneLast(merged: TypedObject, last: FieldManager, { managers }: Pruning): Converting<TypedObject> {
  const before = yield* inVersion(merged, last.apiVersion);
  if (before === undefined) return merged;
  const pruned = withObject(before, removeItems(before.object, named(last.set, before), before.type));
  const owned = yield* addBackOwned([before, pruned], managers);
  const kept = yield* addBackUnowned([before, owned], last);
  return (yield* inVersion(kept, merged.apiVersion)) ?? merged;
}

/** Adds back removed fields that any manager, or the applier's new configuration, owns. */
function* addBackOwned(objects: readonly [TypedObject, TypedObject], managers: FieldManagers): Converting<TypedObject> {
  let [merged, pruned] = objects;
  for (const [apiVersion, managed] of ownedByVersion(managers, pruned.apiVersion)) {
    const mergedThere = yield* inVersion(merged, apiVersion);
    if (mergedThere === undefined) continue;
    merged = mergedThere;
    const prunedThere = yield* inVersion(pruned, apiVersion);
    if (prunedThere === undefined) continue;
    const kept = union(named(setOfTyped(prunedThere), merged), named(managed, merged));
    const gone = difference(named(setOfTyped(merged), merged), kept);
    pruned = withObject(merged, removeItems(merged.object, gone, merged.type));
  }
  return pruned;
}

/** What all managers of a version own together; the version of the pruned object comes first. */
function ownedByVersion(managers: FieldManagers, first: string): Map<string, FieldSet> {
  const sets = new Map<string, FieldSet>([[first, EMPTY_SET]]);
  for (const { apiVersion, set } of managers.values())
    sets.set(apiVersion, union(sets.get(apiVersion) ?? EMPTY_SET, set));
  if (![...managers.values()].some(({ apiVersion }) => apiVersion === first)) sets.delete(first);
  return sets;
}

/** Adds back removed fields that the applier's last configuration did not own. */
function* addBackUnowned(objects: readonly [TypedObject, TypedObject], last: FieldManager): Converting<TypedObject> {
  const [merged, pruned] = objects;
  const there = yield* inVersion(pruned, last.apiVersion);
  if (there === undefined) return merged;
  const gone = difference(named(setOfTyped(merged), merged), named(setOfTyped(there), merged));
  const items = intersection(gone, named(last.set, merged));
  return withObject(merged, removeItems(merged.object, items, merged.type));
}

function named(set: FieldSet, { type }: TypedObject): FieldSet {
  return withNamedFields(set, type);
}

function setOfTyped({ object, type }: TypedObject): FieldSet {
  return setOf(object, type);
}

function withObject(typed: TypedObject, object: unknown): TypedObject {
  return object === typed.object ? typed : { ...typed, object };
}

/** Adds the struct fields that lead to the set's paths: configurations own leaves, not the way there. */
function withNamedFields(set: FieldSet, type: MergeType): FieldSet {
  let isChanged = false;
  const entries = set.entries.map((entry): FieldEntry => {
    if (entry.children.isEmpty) return entry;
    const { element, isMember, children } = entry;
    const isNamed = element.kind === 'field' && type.map?.field(element.name) !== undefined;
    const below = withNamedFields(children, typeBelow(element, type));
    if (below === children && (isMember || !isNamed)) return entry;
    isChanged = true;
    return { element, isMember: isMember || isNamed, children: below };
  });
  return isChanged ? new FieldSet(entries) : set;
}

const NO_TYPE: MergeType = {};

/** The type below an element; an unknown type if the element does not fit. */
function typeBelow(element: PathElement, { map, list }: MergeType): MergeType {
  if (element.kind === 'field' && map !== undefined) return memberType(map, map.field(element.name));
  return element.kind === 'key' && list !== undefined ? list.element : NO_TYPE;
}

/**
 * The value without what `items` names: members, and items of lists that are not atomic. A value that becomes or was empty
 * becomes null.
 */
export function removeItems(value: unknown, items: FieldSet, type: MergeType): unknown {
  switch (kindOf(value, type)) {
    case 'scalar':
      return value;
    case 'map':
      return removeMembers(value, items, type.map as MapType);
    case 'list':
      return removeFromList(value, items, type.list as ListType);
  }
}

function removeMembers(value: unknown, items: FieldSet, type: MapType): unknown {
  const map = asMap(value);
  if (map === undefined || type.isAtomic || isEmptyMap(map)) return null;
  const result: Record<string, unknown> = {};
  let isChanged = false;
  for (const name in map) {
    const member = map[name];
    const field = type.field(name);
    const entry = items.find(field?.element ?? fieldElement(name));
    const isRemoved = entry?.isMember === true;
    const kept =
      entry === undefined || isRemoved ? member : removeItems(member, entry.children, memberType(type, field));
    if (isRemoved || kept !== member) isChanged = true;
    if (!isRemoved) setOwn(result, name, kept);
  }
  if (!isChanged) return value;
  return isEmptyMap(result) ? null : result;
}

function removeFromList(value: unknown, items: FieldSet, type: ListType): unknown {
  const list = asList(value);
  if (list === undefined || type.relation === 'atomic' || list.length === 0) return null;
  const result: unknown[] = [];
  for (const item of list) {
    const element = itemElement(item, type);
    const entry = typeof element === 'string' ? undefined : items.find(element);
    if (entry?.isMember === true) continue;
    result.push(entry === undefined ? item : removeItems(item, entry.children, type.element));
  }
  if (result.length === 0) return null;
  return result.length === list.length && result.every((item, index) => item === list[index]) ? value : result;
}
