import type { Kind, KubernetesObject, Observed } from '../kind.ts';

/**
 * Counts of the objects of a kind: by a value, and under it by group. Caches count the first time that somebody asks, and keep
 * count from then on, so that a look at ten thousand objects costs as much as there are groups of them.
 */
export interface Tally<T extends KubernetesObject> {
  readonly kind: Kind;
  /** Where an object is counted, such as the uid of its controller; undefined when it is not. */
  readonly valueOf: (object: Observed<T>) => string | undefined;
  /** What it is counted as. Objects of a group are alike to whoever counts them. */
  readonly groupOf: (object: Observed<T>) => string;
}

/** A tally of a kind: `const podsOnNodes = tally(Pod, { valueOf: nodeOf, groupOf: phaseOf })`. */
export function tally<T extends KubernetesObject>(kind: Kind<T>, by: Omit<Tally<T>, 'kind'>): Tally<T> {
  return { kind, ...by };
}

/** What a tally has counted, in one cache. */
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

/** One object as it was counted, and as it is; undefined where there is none. */
export interface CountedChange<T extends KubernetesObject> {
  readonly before: Observed<T> | undefined;
  readonly after: Observed<T> | undefined;
}

/** The counts under a value of a tally, after changes that were not counted. */
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

/** A group of none is left out. */
function addTo(groups: Map<string, number>, group: string, by: number): void {
  const count = (groups.get(group) ?? 0) + by;
  if (count === 0) groups.delete(group);
  else groups.set(group, count);
}
