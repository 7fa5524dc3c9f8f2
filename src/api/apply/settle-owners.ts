import { difference, intersection, union } from './field-set-algebra.ts';
import type { FieldSet } from './field-set.ts';
import type { Converting } from './conversion.ts';
import { type Owner, type Owners, withSet } from './owners.ts';
import { reconcileSet } from './reconcile-set.ts';
import { inVersion, type TypedObject, type VersionedChange } from './versions.ts';

/** Owners of versions that are no more are dropped, and sets of types that have become atomic are read as they are now. */
export function reconcileOwners(owners: Owners, live: TypedObject): Converting<Owners> {
  return mapOwners(owners, function* (owner) {
    const versioned = yield* inVersion(live, owner.apiVersion);
    return versioned === undefined ? undefined : withSet(owner, reconcileSet(owner.set, versioned.type));
  });
}

export interface Settlement {
  readonly owners: Owners;
  /** What a change takes from its owners, by their ids. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
}

/**
 * Takes from every owner, but for the one who makes the change, what the change touches: it is another's now, or gone.
 * Owners who have nothing left are dropped.
 */
export function* settleOwners(
  owners: Owners,
  change: VersionedChange,
  changerId: string | undefined,
): Converting<Settlement> {
  const conflicts = new Map<string, FieldSet>();
  const settled = yield* mapOwners(owners, function* (owner, id) {
    if (id === changerId) return owner.set.isEmpty ? undefined : owner;
    const comparison = yield* change.in(owner.apiVersion);
    if (comparison === undefined) return undefined;
    const { added, modified, removed } = comparison;
    const taken = intersection(owner.set, union(modified, added));
    if (!taken.isEmpty) conflicts.set(id, taken);
    const left = difference(difference(owner.set, taken), removed);
    return left.isEmpty ? undefined : withSet(owner, left);
  });
  return { owners: settled, conflicts };
}

/** The same map if no owner changes. */
function* mapOwners(
  owners: Owners,
  change: (owner: Owner, id: string) => Converting<Owner | undefined>,
): Converting<Owners> {
  let result: Map<string, Owner> | undefined;
  for (const [id, owner] of owners) {
    const changed = yield* change(owner, id);
    if (changed === owner) continue;
    result ??= new Map(owners);
    if (changed === undefined) result.delete(id);
    else result.set(id, changed);
  }
  return result ?? owners;
}
