import type { Converting } from './conversion.ts';
import { difference, intersection, union } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldEntry, FieldSet } from './field-set.ts';
import { type FieldManager, type FieldManagers, withSet } from './field-managers.ts';
import { inVersion, otherVersions, type TypedObject, type VersionedChange } from './versions.ts';
import { DEDUCED_TYPE, type MapType, type MergeType } from './merge-type.ts';

/** Drops managers of versions that no longer exist, and adapts sets to types that have become atomic. */
export function* reconcileManagers(managers: FieldManagers, live: TypedObject): Converting<FieldManagers> {
  let others: Map<string, MergeType | undefined> | undefined;
  for (const apiVersion of otherVersions(managers, live.apiVersion)) {
    (others ??= new Map()).set(apiVersion, (yield* inVersion(live, apiVersion))?.type);
  }
  return reconciledManagers(managers, live, others);
}

/** The same if the types of other versions are known, or there are none. */
export function reconciledManagers(
  managers: FieldManagers,
  live: TypedObject,
  others?: ReadonlyMap<string, MergeType | undefined>,
): FieldManagers {
  if (managers.size === 0) return managers;
  return mapManagers(managers, (manager) => {
    const type = manager.apiVersion === live.apiVersion ? live.type : others?.get(manager.apiVersion);
    return type === undefined ? undefined : withSet(manager, reconcileSet(manager.set, type));
  });
}

export interface Settlement {
  readonly managers: FieldManagers;
  /** What a change takes from managers, by their ids. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
}

/**
 * Takes what a change touches from every manager except the one who makes it. Managers with nothing left are dropped. The
 * change must have been compared in the versions of all managers.
 */
export function settleManagers(
  managers: FieldManagers,
  change: VersionedChange,
  changerId: string | undefined,
): Settlement {
  if (managers.size === 0) return { managers, conflicts: NO_CONFLICTS };
  let conflicts: Map<string, FieldSet> | undefined;
  const settled = mapManagers(managers, (manager, id) => {
    if (id === changerId) return manager.set.isEmpty ? undefined : manager;
    const comparison = change.in(manager.apiVersion);
    if (comparison === undefined) return undefined;
    const { added, modified, removed } = comparison;
    const taken = intersection(manager.set, union(modified, added));
    if (!taken.isEmpty) (conflicts ??= new Map()).set(id, taken);
    const left = difference(difference(manager.set, taken), removed);
    return left.isEmpty ? undefined : withSet(manager, left);
  });
  return { managers: settled, conflicts: conflicts ?? NO_CONFLICTS };
}

const NO_CONFLICTS: ReadonlyMap<string, FieldSet> = new Map();

/** The same map if no manager changes. */
function mapManagers(
  managers: FieldManagers,
  change: (manager: FieldManager, id: string) => FieldManager | undefined,
): FieldManagers {
  let result: Map<string, FieldManager> | undefined;
  for (const [id, manager] of managers) {
    const changed = change(manager, id);
    if (changed === manager) continue;
    result ??= new Map(managers);
    if (changed === undefined) result.delete(id);
    else result.set(id, changed);
  }
  return result ?? managers;
}

/** Sets that fit their type unchanged: most do, and they are checked on every write. */
const fitting = new WeakMap<FieldSet, MergeType>();

/** Adapts a set to types that have become atomic since it was written: a manager of something inside now owns the whole. */
function reconcileSet(set: FieldSet, type: MergeType): FieldSet {
  if (fitting.get(set) === type) return set;
  const reconciled = reconcileLevel(set, type);
  fitting.set(reconciled, type);
  return reconciled;
}

function reconcileLevel(set: FieldSet, type: MergeType): FieldSet {
  let isChanged = false;
  const entries = set.entries.map((entry): FieldEntry => {
    const below = knownTypeBelow(entry, type);
    if (below === undefined) return entry;
    const reconciled = reconcileEntry(entry, below);
    if (reconciled !== entry) isChanged = true;
    return reconciled;
  });
  return isChanged ? new FieldSet(entries) : set;
}

function reconcileEntry(entry: FieldEntry, type: MergeType): FieldEntry {
  const { element, isMember, children } = entry;
  const isLeaf = isMember && children.isEmpty;
  if (type.map !== undefined ? isAtomicMap(type.map) && !children.isEmpty : isAtomicList(type) && !isLeaf) {
    return { element, isMember: true, children: EMPTY_SET };
  }
  if (type.map === undefined ? type.list === undefined : isUntyped(type.map)) return entry;
  const below = reconcileLevel(children, type);
  return below === children ? entry : { element, isMember, children: below };
}

function isAtomicMap(map: MapType): boolean {
  return map.isAtomic && !isUntyped(map);
}

/** Untyped maps cannot have become atomic. */
function isUntyped(map: MapType): boolean {
  return !map.hasFields && map.rest === DEDUCED_TYPE;
}

function isAtomicList({ scalar, list }: MergeType): boolean {
  return scalar === undefined && list?.relation === 'atomic';
}

function knownTypeBelow({ element }: FieldEntry, { map, list }: MergeType): MergeType | undefined {
  if (map !== undefined) return (element.kind === 'field' ? map.field(element.name)?.type : undefined) ?? map.rest;
  return list?.element;
}
