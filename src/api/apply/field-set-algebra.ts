import { EMPTY_SET, type FieldEntry, FieldSet } from './field-set.ts';
import { compareElements } from './path-element.ts';

// All of these return the left set itself if the result equals it, so that `===` detects changes.

/** Paths that are in either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (right.isEmpty || left === right) return left;
  if (left.isEmpty) return right;
  return merged(left, right, UNION);
}

/** Paths that are in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left.isEmpty || left === right) return left;
  if (right.isEmpty) return EMPTY_SET;
  return merged(left, right, INTERSECTION);
}

/** Paths of `left` that are not in `right`; paths below a path of `right` stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left.isEmpty || right.isEmpty) return left;
  if (left === right) return EMPTY_SET;
  return merged(left, right, DIFFERENCE);
}

/** Paths of `left` that are neither in `right` nor below a path of it. */
export function differenceBelow(left: FieldSet, right: FieldSet): FieldSet {
  if (left.isEmpty || right.isEmpty) return left;
  return merged(left, right, DIFFERENCE_BELOW);
}

/** Whether all paths of `part` are in `whole`. */
export function isSubset(part: FieldSet, whole: FieldSet): boolean {
  if (part === whole) return true;
  for (const { element, isMember, children } of part.entries) {
    const entry = whole.find(element);
    if (entry === undefined || (isMember && !entry.isMember) || !isSubset(children, entry.children)) return false;
  }
  return true;
}

/** Computes the result for an element that one or both sets contain; undefined for none. */
type EntryRule = (left: FieldEntry | undefined, right: FieldEntry | undefined) => FieldEntry | undefined;

/** An operation on two sets, with a cache of recent results. */
interface Operation {
  readonly rule: EntryRule;
  /** By the hashes of the two sets; a collision replaces the entry. */
  readonly results: (OperationResult | undefined)[];
}

interface OperationResult {
  readonly left: FieldSet;
  readonly right: FieldSet;
  readonly result: FieldSet;
}

const PLACES = 256;

/** Cached, because writes of one program to objects of one kind repeat the same sets. */
function merged(left: FieldSet, right: FieldSet, { rule, results }: Operation): FieldSet {
  const place = (left.hash ^ (right.hash >>> 3)) & (PLACES - 1);
  const known = results[place];
  if (known !== undefined && known.left === left && known.right === right) return known.result;
  const result = merge(left, right, rule);
  results[place] = { left, right, result };
  return result;
}

function merge(left: FieldSet, right: FieldSet, rule: EntryRule): FieldSet {
  const [mine, theirs] = [left.entries, right.entries];
  const entries: FieldEntry[] = [];
  let isChanged = false;
  let [at, atOther] = [0, 0];
  while (at < mine.length || atOther < theirs.length) {
    const own = mine[at];
    const other = theirs[atOther];
    const order = own === undefined ? 1 : other === undefined ? -1 : compareElements(own.element, other.element);
    if (order <= 0) at += 1;
    if (order >= 0) atOther += 1;
    const kept = order <= 0 ? own : undefined;
    const result = rule(kept, order >= 0 ? other : undefined);
    if (result !== kept) isChanged = true;
    if (result !== undefined) entries.push(result);
  }
  if (!isChanged) return left;
  return entries.length === 0 ? EMPTY_SET : new FieldSet(entries);
}

function unionEntry(left: FieldEntry | undefined, right: FieldEntry | undefined): FieldEntry | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return entryWith(left, left.isMember || right.isMember, union(left.children, right.children));
}

function intersectionEntry(left: FieldEntry | undefined, right: FieldEntry | undefined): FieldEntry | undefined {
  if (left === undefined || right === undefined) return undefined;
  return entryWith(left, left.isMember && right.isMember, intersection(left.children, right.children));
}

function differenceEntry(left: FieldEntry | undefined, right: FieldEntry | undefined): FieldEntry | undefined {
  if (left === undefined || right === undefined) return left;
  return entryWith(left, left.isMember && !right.isMember, difference(left.children, right.children));
}

function differenceBelowEntry(left: FieldEntry | undefined, right: FieldEntry | undefined): FieldEntry | undefined {
  if (left === undefined || right === undefined) return left;
  if (right.isMember) return undefined;
  return entryWith(left, left.isMember, differenceBelow(left.children, right.children));
}

function entryWith(entry: FieldEntry, isMember: boolean, children: FieldSet): FieldEntry | undefined {
  if (entry.isMember === isMember && entry.children === children) return entry;
  return isMember || !children.isEmpty ? { element: entry.element, isMember, children } : undefined;
}

const UNION: Operation = { rule: unionEntry, results: [] };
const INTERSECTION: Operation = { rule: intersectionEntry, results: [] };
const DIFFERENCE: Operation = { rule: differenceEntry, results: [] };
const DIFFERENCE_BELOW: Operation = { rule: differenceBelowEntry, results: [] };
