import { difference, intersection, union } from './field-set-algebra.ts';
import type { FieldSet } from './field-set.ts';
import type { Converting } from './conversion.ts';
import { type FieldManager, type FieldManagers, withSet } from './field-managers.ts';
import { reconcileSet } from './reconcile-set.ts';
import { inVersion, type TypedObject, type VersionedChange } from './versions.ts';

/** Managers of versions that are no more are dropped, and sets of types that have become atomic are read as they are now. */
export function reconcileManagers(managers: FieldManagers, live: TypedObject): Converting<FieldManagers> {
  return mapManagers(managers, function* (manager) {
    const versioned = yield* inVersion(live, manager.apiVersion);
    return versioned === undefined ? undefined : withSet(manager, reconcileSet(manager.set, versioned.type));
  });
}

export interface Settlement {
  readonly managers: FieldManagers;
  /** What a change takes from its managers, by their ids. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
}

/**
 * Takes from every manager, but for the one who makes the change, what the change touches: it is another's now, or gone.
 * Managers who have nothing left are dropped.
 */
export function* settleManagers(
  managers: FieldManagers,
  change: VersionedChange,
  changerId: string | undefined,
): Converting<Settlement> {
  const conflicts = new Map<string, FieldSet>();
  const settled = yield* mapManagers(managers, function* (manager, id) {
    if (id === changerId) return manager.set.isEmpty ? undefined : manager;
    const comparison = yield* change.in(manager.apiVersion);
    if (comparison === undefined) return undefined;
    const { added, modified, removed } = comparison;
    const taken = intersection(manager.set, union(modified, added));
    if (!taken.isEmpty) conflicts.set(id, taken);
    const left = difference(difference(manager.set, taken), removed);
    return left.isEmpty ? undefined : withSet(manager, left);
  });
  return { managers: settled, conflicts };
}

/** The same map if no manager changes. */
function* mapManagers(
  managers: FieldManagers,
  change: (manager: FieldManager, id: string) => Converting<FieldManager | undefined>,
): Converting<FieldManagers> {
  let result: Map<string, FieldManager> | undefined;
  for (const [id, manager] of managers) {
    const changed = yield* change(manager, id);
    if (changed === manager) continue;
    result ??= new Map(managers);
    if (changed === undefined) result.delete(id);
    else result.set(id, changed);
  }
  return result ?? managers;
}
