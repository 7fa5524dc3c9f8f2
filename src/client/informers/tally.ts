import type { Kind, KubernetesObject, Observed } from '../kind.ts';

/**
 * Counts the objects of a kind by value, and under each value by group. A cache counts at the first look-up and keeps
 * the counts up to date, so reading the counts of ten thousand objects costs one step per group.
 */
export interface Tally<T extends KubernetesObject> {
  readonly kind: Kind;
  /** The value under which an object is counted, such as the uid of its controller; undefined to leave it out. */
  readonly valueOf: (object: Observed<T>) => string | undefined;
  /** The group of the object, such as its phase. */
  readonly groupOf: (object: Observed<T>) => string;
}

/** A tally of a kind: `const podsOnNodes = tally(Pod, { valueOf: nodeOf, groupOf: phaseOf })`. */
export function tally<T extends KubernetesObject>(kind: Kind<T>, by: Omit<Tally<T>, 'kind'>): Tally<T> {
  return { kind, ...by };
}

/** One tally of one cache. */
export class TallyTable<T extends KubernetesObject> {
  readonly #tally: Tally<T>;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(counted: Tally<T>) {
    this.#tally = counted;
  }

  counts(value: string): ReadonlyMap<string, number> {
    return this.#counts.get(value) ?? new Map();
  }

  move(old: Observed<T> | undefined, now: Observed<T> | undefined): void {
    if (old !== undefined) this.#count(old, -1);
    if (now !== undefined) this.#count(now, 1);
  }

  #count(object: Observed<T>, by: number): void {
    const value = this.#tally.valueOf(object);
    if (value === undefined) return;
    const groups = this.#counts.get(value) ?? new Map<string, number>();
    addTo(groups, this.#tally.groupOf(object), by);
    if (groups.size === 0) this.#counts.delete(value);
    else this.#counts.set(value, groups);
  }
}

/** An object as counted and as it is now; undefined where it does not exist. */
export interface CountedChange<T extends KubernetesObject> {
  readonly before: Observed<T> | undefined;
  readonly after: Observed<T> | undefined;
}

/** The counts under a value of a tally, adjusted by changes that the cache has not counted yet. */
export function countedWith<T extends KubernetesObject>(
  counts: ReadonlyMap<string, number>,
  changes: Iterable<CountedChange<T>>,
  { tally: { valueOf, groupOf }, value }: { readonly tally: Tally<T>; readonly value: string },
): ReadonlyMap<string, number> {
  const groups = new Map(counts);
  for (const { before, after } of changes) {
    if (before !== undefined && valueOf(before) === value) addTo(groups, groupOf(before), -1);
    if (after !== undefined && valueOf(after) === value) addTo(groups, groupOf(after), 1);
  }
  return groups;
}

/** Removes groups whose count is 0. */
function addTo(groups: Map<string, number>, group: string, by: number): void {
  const count = (groups.get(group) ?? 0) + by;
  if (count === 0) groups.delete(group);
  else groups.set(group, count);
}
