import { EMPTY_SET, type FieldEntry, FieldSet } from './field-set.ts';
import { DEDUCED_TYPE, type MapType, type MergeType } from './merge-type.ts';

/** Sets that fit their type as they are: most do, and they are looked at on every write. */
const fitting = new WeakMap<FieldSet, MergeType>();

/**
 * The set as it is to be read now, where types have become atomic since it was written: who owned something inside then
 * owns the whole.
 */
export function reconcileSet(set: FieldSet, type: MergeType): FieldSet {
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

/** Of maps that are merged by what is found in them nothing can have changed. */
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
