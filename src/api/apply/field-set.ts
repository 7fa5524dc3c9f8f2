import type { PlainObject } from '../json/index.ts';
import { compareElements, type PathElement } from './path-element.ts';

/** One step that a set has something to say about. */
export interface FieldEntry {
  readonly element: PathElement;
  /** The path that ends here is in the set. */
  readonly isMember: boolean;
  /** Paths in the set that go on from here. */
  readonly children: FieldSet;
}

/**
 * A set of paths into an object, as a tree that is never changed: what two sets have in common they share.
 *
 * A path in the set does not put the paths below it into the set, nor those above it. Example: the paths `.a` and `.a.b`
 * are one entry `a`, member, with children that have one entry `b`, member, without children.
 */
export class FieldSet {
  /** Sorted by element, each element once; an entry is a member or has children, or both. */
  readonly entries: readonly FieldEntry[];
  /** What FieldsV1 prints for this set, alone and below a path that is a member; kept by who printed it. */
  printed: PlainObject | undefined = undefined;
  printedBelowMember: PlainObject | undefined = undefined;

  constructor(entries: readonly FieldEntry[]) {
    this.entries = entries;
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

  /** Every path: those that end at a level come before those that go on from it. */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
    for (const { element, isMember } of this.entries) if (isMember) yield [...prefix, element];
    for (const { element, children } of this.entries) {
      if (!children.isEmpty) yield* children.paths([...prefix, element]);
    }
  }

  /** The paths that no other path of the set goes on from. */
  leaves(): FieldSet {
    const entries: FieldEntry[] = [];
    for (const entry of this.entries) {
      if (entry.children.isEmpty) entries.push(entry);
      else entries.push({ element: entry.element, isMember: false, children: entry.children.leaves() });
    }
    return new FieldSet(entries);
  }
}

export const EMPTY_SET: FieldSet = new FieldSet([]);

/** The set of these paths alone. */
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

/** So many entries are kept in order as they come, which costs less than sorting them. */
const FEW = 16;

/** Collects the entries of one level, each element once, in any order. */
export class FieldSetBuilder {
  readonly #entries: FieldEntry[] = [];
  #isSorted = true;

  add(element: PathElement, isMember: boolean, children: FieldSet): void {
    if (!isMember && children.isEmpty) return;
    const entries = this.#entries;
    const entry = { element, isMember, children };
    let at = entries.length;
    entries.push(entry);
    if (!this.#isSorted || at === 0 || compareElements((entries[at - 1] as FieldEntry).element, element) <= 0) return;
    if (at > FEW) {
      this.#isSorted = false;
      return;
    }
    for (; at > 0 && compareElements((entries[at - 1] as FieldEntry).element, element) > 0; at--) {
      entries[at] = entries[at - 1] as FieldEntry;
    }
    entries[at] = entry;
  }

  finish(): FieldSet {
    const entries = this.#entries;
    if (entries.length === 0) return EMPTY_SET;
    if (!this.#isSorted) entries.sort((left, right) => compareElements(left.element, right.element));
    return new FieldSet(entries);
  }
}
