import type { Converting } from './conversion.ts';
import { difference, intersection, isSubset, union } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldSet } from './field-set.ts';
import { withNamedFields } from './named-fields.ts';
import type { FieldManager, FieldManagers } from './field-managers.ts';
import { removeItems } from './remove-items.ts';
import { setOf } from './set-of.ts';
import { inVersion, type TypedObject } from './versions.ts';

export interface Pruning {
  /** The applier as it was after its last configuration. */
  readonly last: FieldManager | undefined;
  /** All managers, the applier among them with what its new configuration says. */
  readonly managers: FieldManagers;
  /** What the new configuration says. */
  readonly applied: FieldSet;
}

/**
 * Removes from an object, with a configuration merged in, what the applier's last configuration had and the new one does
 * not, as long as nobody else owns it. Going by who owns an item, not by who owns what is in it, an item that is removed
 * goes as a whole only if nothing in it belongs to others.
 */
export function* pruneObject(merged: TypedObject, pruning: Pruning): Converting<TypedObject> {
  const { last, applied } = pruning;
  // Who applies all that it applied before takes nothing away, which is what happens most often.
  if (last === undefined || last.set.isEmpty || isSubset(last.set, applied)) return merged;
  return yield* pruneLast(merged, last, pruning);
}

/** The same without looking first whether there is anything to do. */
export function* pruneLast(merged: TypedObject, last: FieldManager, { managers }: Pruning): Converting<TypedObject> {
  const before = yield* inVersion(merged, last.apiVersion);
  if (before === undefined) return merged;
  const pruned = withObject(before, removeItems(before.object, named(last.set, before), before.type));
  const owned = yield* addBackOwned([before, pruned], managers);
  const kept = yield* addBackUnowned([before, owned], last);
  return (yield* inVersion(kept, merged.apiVersion)) ?? merged;
}

/** Adds back what was removed, but belongs to somebody, or to the applier's new configuration. */
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

/** Adds back what nobody owned: the applier's last configuration did not have it either. */
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
