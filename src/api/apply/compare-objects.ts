import { deepEqual } from '../../base/index.ts';
import { holdsSentEmpty } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { everyPath } from './set-of.ts';
import { union } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldSet, FieldSetBuilder, type KnownField, type RecentLevels } from './field-set.ts';
import { groupItems, type ItemGroup } from './list-items.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf, memberOf, type ValueKind } from './value-kind.ts';

/** The differences between two objects. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * What happened to a value itself; `same` if at most something below it has changed. `both` (added and removed) applies to
 * items of a list whose key had duplicates before and has none now, or the other way round.
 */
type Mark = 'added' | 'modified' | 'removed' | 'both' | 'same';

/** The changes at a value and below it. */
interface Change extends Comparison {
  readonly mark: Mark;
}

const NO_CHANGES: Comparison = { added: EMPTY_SET, modified: EMPTY_SET, removed: EMPTY_SET };
const ADDED: Change = { mark: 'added', ...NO_CHANGES };
const MODIFIED: Change = { mark: 'modified', ...NO_CHANGES };

/** Collects the changes below one value. */
class ChangeBuilder {
  #added: FieldSetBuilder | undefined;
  #modified: FieldSetBuilder | undefined;
  #removed: FieldSetBuilder | undefined;

  add(place: PathElement | KnownField, { mark, added, modified, removed }: Change): void {
    const isAdded = mark === 'added' || mark === 'both';
    const isRemoved = mark === 'removed' || mark === 'both';
    if (isAdded || !added.isEmpty) (this.#added ??= new FieldSetBuilder()).add(place, isAdded, added);
    if (mark === 'modified' || !modified.isEmpty) {
      (this.#modified ??= new FieldSetBuilder()).add(place, mark === 'modified', modified);
    }
    if (isRemoved || !removed.isEmpty) (this.#removed ??= new FieldSetBuilder()).add(place, isRemoved, removed);
  }

  finish(recent: RecentLevels): Change | undefined {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return undefined;
    return {
      mark: 'same',
      added: this.#added?.finish(recent) ?? EMPTY_SET,
      modified: this.#modified?.finish(recent) ?? EMPTY_SET,
      removed: this.#removed?.finish(recent) ?? EMPTY_SET,
    };
  }
}

/**
 * The paths that the second object has added, modified and removed. An object or list that appears or disappears is a path
 * itself, besides those in it; null is a value, and differs from absence.
 *
 * Throws a TypedError if an item of a list cannot be identified.
 */
export function compareObjects(before: unknown, after: unknown, type: MergeType): Comparison {
  return compareValues(before, after, type) ?? NO_CHANGES;
}

/** Undefined if nothing has changed; parts that both objects share are skipped. */
function compareValues(before: unknown, after: unknown, type: MergeType): Change | undefined {
  if (before === after) return undefined;
  if (before === undefined) return appearance(everyPath(after, type));
  if (after === undefined)
    return { mark: 'removed', added: EMPTY_SET, modified: EMPTY_SET, removed: everyPath(before, type) };
  const kind = kindOf(after, type);
  const change = comparisons[kind](before, after, type);
  const otherKind = kindOf(before, type);
  return kind === otherKind ? change : together(comparisons[otherKind](before, after, type), change);
}

function appearance(added: FieldSet): Change {
  return added.isEmpty ? ADDED : { mark: 'added', added, modified: EMPTY_SET, removed: EMPTY_SET };
}

/** Comparisons by the kind of value. */
const comparisons: Readonly<
  Record<ValueKind, (before: unknown, after: unknown, type: MergeType) => Change | undefined>
> = {
  scalar: compareLeaves,
  map: (before, after, { map }) => compareMaps(before, after, map as MapType),
  list: (before, after, { list }) => compareLists(before, after, list as ListType),
};

function compareLeaves(before: unknown, after: unknown): Change | undefined {
  return deepEqual(before, after) && !hasEmptyInList(after) ? undefined : MODIFIED;
}

/** Upstream compares lists as values of Go, where an empty list or map in an item differs from none. */
function hasEmptyInList(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSentEmpty);
  return isPlainObject(value) && Object.values(value).some(hasEmptyInList);
}

function compareMaps(before: unknown, after: unknown, type: MapType): Change | undefined {
  const left = asMap(before);
  const right = asMap(after);
  if (type.isAtomic || (isEmptyMap(left) && isEmptyMap(right))) return compareLeaves(before, after);
  const changes = new MemberChanges(type);
  for (const name in left) changes.compare(name, left[name], memberOf(right, name));
  for (const name in right) if (memberOf(left, name) === undefined) changes.compare(name, undefined, right[name]);
  return changes.finish(type.recent);
}

class MemberChanges extends ChangeBuilder {
  readonly #type: MapType;

  constructor(type: MapType) {
    super();
    this.#type = type;
  }

  compare(name: string, before: unknown, after: unknown): void {
    const field = this.#type.field(name);
    const change = compareValues(before, after, memberType(this.#type, field));
    if (change !== undefined) this.add(field ?? fieldElement(name), change);
  }
}

function compareLists(before: unknown, after: unknown, type: ListType): Change | undefined {
  const left = asList(before) ?? [];
  const right = asList(after) ?? [];
  if (type.relation === 'atomic' || (left.length === 0 && right.length === 0)) return compareLeaves(before, after);
  const changes = new ItemChanges(type);
  const leftGroups = groupItems(left, type);
  const rightGroups = groupItems(right, type);
  for (const group of leftGroups.values()) changes.compare(group, rightGroups.get(group.element.text));
  for (const group of rightGroups.values()) {
    if (!leftGroups.has(group.element.text)) changes.compare(undefined, group);
  }
  return changes.finish(type.recent);
}

const NO_ITEMS: readonly unknown[] = [];

class ItemChanges extends ChangeBuilder {
  readonly #type: ListType;

  constructor(type: ListType) {
    super();
    this.#type = type;
  }

  /** Compares items with the same key one by one while each is unique; duplicates are compared as a whole. */
  compare(before: ItemGroup | undefined, after: ItemGroup | undefined): void {
    const element = (before ?? after)?.element;
    if (element === undefined) return;
    const change = this.#changeOf(before?.items ?? NO_ITEMS, after?.items ?? NO_ITEMS);
    if (change !== undefined) this.add(element, change);
  }

  #changeOf(left: readonly unknown[], right: readonly unknown[]): Change | undefined {
    const { element } = this.#type;
    if (left.length <= 1 && right.length <= 1) return compareValues(left[0], right[0], element);
    if (left.length >= 2 && right.length >= 2) return compareLeaves(left, right);
    return left.length >= 2
      ? noLongerDuplicate(right.length === 0 ? undefined : compareValues(undefined, right[0], element))
      : nowDuplicate(left.length === 0 ? undefined : compareValues(left[0], undefined, element));
  }
}

/** The path is both removed, as that of the duplicates, and added with everything below it, as that of the remaining item. */
function noLongerDuplicate(change: Change | undefined): Change {
  return change === undefined ? { ...NO_CHANGES, mark: 'removed' } : { ...change, mark: 'both' };
}

function nowDuplicate(change: Change | undefined): Change {
  return change === undefined ? { ...NO_CHANGES, mark: 'added' } : { ...change, mark: 'both' };
}

/** Combines the changes that two comparisons of the same value found. */
function together(first: Change | undefined, second: Change | undefined): Change | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    mark: second.mark === 'same' ? first.mark : second.mark,
    added: union(first.added, second.added),
    modified: union(first.modified, second.modified),
    removed: union(first.removed, second.removed),
  };
}
