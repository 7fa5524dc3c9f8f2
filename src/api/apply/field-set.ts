import type { PlainObject } from '../json/index.ts';
import { compareElements, type PathElement } from './path-element.ts';

/** One element of a set of paths. */
export interface FieldEntry {
  readonly element: PathElement;
  /** The path that ends here is in the set. */
  readonly isMember: boolean;
  /** The paths in the set that continue from here. */
  readonly children: FieldSet;
}

/**
 * A set of paths into an object, as an immutable tree; sets share their common parts.
 *
 * A path in the set does not imply the paths below or above it. Example: the paths `.a` and `.a.b` are one entry `a`, a
 * member, whose children have one entry `b`, a member without children.
 */
export class FieldSet {
  /** Sorted by element, each element once; an entry is a member or has children, or both. */
  readonly entries: readonly FieldEntry[];
  /** Equal for equal sets, and rarely for others. */
  readonly hash: number;
  /** The FieldsV1 JSON of this set, cached: alone, and below a path that is a member. */
  printed: PlainObject | undefined = undefined;
  printedBelowMember: PlainObject | undefined = undefined;

  constructor(entries: readonly FieldEntry[]) {
    this.entries = entries;
    this.hash = hashOf(entries);
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  find(element: PathElement): FieldEntry | undefined {
    const { entries } = this;
    let from = 0;
    let to = entries.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const entry = entries[middle] as FieldEntry;
      const order = compareElements(entry.element, element);
      if (order === 0) return entry;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  /** Whether the path is in the set; the empty path never is. */
  has(path: readonly PathElement[]): boolean {
    const [first, ...rest] = path;
    const entry = first === undefined ? undefined : this.find(first);
    if (entry === undefined) return false;
    return rest.length === 0 ? entry.isMember : entry.children.has(rest);
  }

  /** The paths that begin with `element`, without it. */
  below(element: PathElement): FieldSet {
    return this.find(element)?.children ?? EMPTY_SET;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    const { entries } = this;
    if (entries.length !== other.entries.length) return false;
    for (let index = 0; index < entries.length; index++) {
      const mine = entries[index] as FieldEntry;
      const theirs = other.entries[index] as FieldEntry;
      if (mine.isMember !== theirs.isMember || mine.element.text !== theirs.element.text) return false;
      if (!mine.children.equals(theirs.children)) return false;
    }
    return true;
  }

  /** All paths: those that end at a level come before those that continue from it. */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
    for (const { element, isMember } of this.entries) if (isMember) yield [...prefix, element];
    for (const { element, children } of this.entries) {
      if (!children.isEmpty) yield* children.paths([...prefix, element]);
    }
  }

  /** The paths that are no prefix of another path in the set. */
  leaves(): FieldSet {
    const entries: FieldEntry[] = [];
    for (const entry of this.entries) {
      if (entry.children.isEmpty) entries.push(entry);
      else entries.push({ element: entry.element, isMember: false, children: entry.children.leaves() });
    }
    return new FieldSet(entries);
  }
}

function hashOf(entries: readonly FieldEntry[]): number {
  let hash = entries.length;
  for (const { element, isMember, children } of entries) {
    const { text } = element;
    const letters = text.charCodeAt(2) + 7 * text.charCodeAt(text.length - 1) + text.length;
    hash = (hash * 31 + letters + (isMember ? 1 : 0) + children.hash) | 0;
  }
  return hash;
}

export const EMPTY_SET: FieldSet = new FieldSet([]);

/** The set of exactly these paths. */
export function fieldSet(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  const below = new Map<
    string,
    { readonly element: PathElement; isMember: boolean; rest: (readonly PathElement[])[] }
  >();
  for (const [element, ...rest] of paths) {
    if (element === undefined) continue;
    const group = below.get(element.text) ?? { element, isMember: false, rest: [] };
    if (rest.length === 0) group.isMember = true;
    else group.rest.push(rest);
    below.set(element.text, group);
  }
  for (const { element, isMember, rest } of below.values()) builder.add(element, isMember, fieldSet(...rest));
  return builder.finish();
}

/** A field of a type, with an entry shared by all sets that contain its path and none below it. */
export interface KnownField {
  readonly element: PathElement;
  readonly leaf: FieldEntry;
}

/** Collects the entries of one level, each element once, in any order. */
export class FieldSetBuilder {
  /** Created with its first entry: an array that starts empty has room for 17, and most levels have few. */
  #entries: FieldEntry[] | undefined;

  add(place: PathElement | KnownField, isMember: boolean, children: FieldSet): void {
    if (!isMember && children.isEmpty) return;
    const field = 'leaf' in place ? place : undefined;
    if (field !== undefined && children.isEmpty) this.#insert(field.leaf);
    else this.#insert({ element: field?.element ?? (place as PathElement), isMember, children });
  }

  /** With `recent`, returns an equal set that was made recently instead of another one. */
  finish(recent?: RecentLevels): FieldSet {
    const entries = this.#entries;
    if (entries === undefined) return EMPTY_SET;
    if (entries.length > MAX_INSERTED) entries.sort((left, right) => compareElements(left.element, right.element));
    return recent === undefined ? new FieldSet(entries) : recent.intern(entries);
  }

  /** Inserts in order: members of objects are few and come in the order of their type. */
  #insert(entry: FieldEntry): void {
    const entries = this.#entries;
    if (entries === undefined) {
      this.#entries = [entry];
      return;
    }
    const { length } = entries;
    entries.push(entry);
    if (length >= MAX_INSERTED) return;
    let at = length;
    for (; at > 0; at--) {
      const before = entries[at - 1] as FieldEntry;
      if (compareElements(before.element, entry.element) <= 0) break;
      entries[at] = before;
    }
    entries[at] = entry;
  }
}

/** Larger levels are sorted at the end. */
const MAX_INSERTED = 32;

/** Number of recent sets kept per type. */
const REMEMBERED = 8;
/** Larger sets are not kept: they rarely repeat. */
const MAX_REMEMBERED_ENTRIES = 64;

/**
 * The sets made most recently from values of one type. Most objects have the same fields as the previous one, so they share
 * one set and everything cached for it.
 */
export class RecentLevels {
  readonly #sets: FieldSet[] = [];
  #next = 0;

  /** Returns an equal recent set, or makes one from the entries, which must be sorted. */
  intern(entries: readonly FieldEntry[]): FieldSet {
    if (entries.length > MAX_REMEMBERED_ENTRIES) return new FieldSet(entries);
    for (const set of this.#sets) if (haveSameEntries(set.entries, entries)) return set;
    const set = new FieldSet(entries.slice());
    this.#sets[this.#next] = set;
    this.#next = (this.#next + 1) % REMEMBERED;
    return set;
  }
}

/** Equal children are the same object. */
function haveSameEntries(left: readonly FieldEntry[], right: readonly FieldEntry[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    const [mine, theirs] = [left[index] as FieldEntry, right[index] as FieldEntry];
    if (mine === theirs) continue;
    if (mine.children !== theirs.children || mine.isMember !== theirs.isMember) return false;
    if (mine.element !== theirs.element && mine.element.text !== theirs.element.text) return false;
  }
  return true;
}
