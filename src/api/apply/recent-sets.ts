import type { FieldSet } from './field-set.ts';

/** So many different sets are remembered at once. */
const CAPACITY = 8;

/**
 * The sets that came last, so that equal ones are one: objects of a kind that one program writes mostly have the same
 * fields, and then share their set and what is printed for it. When full, the one that was asked for longest ago goes.
 */
export class RecentSets {
  readonly #sets: FieldSet[] = [];

  /** The remembered set that is equal to this one, or this one, which is remembered then. */
  intern(set: FieldSet): FieldSet {
    const sets = this.#sets;
    let found = sets.findIndex((known) => known.equals(set));
    const known = found < 0 ? set : (sets[found] as FieldSet);
    if (found < 0) found = Math.min(sets.length, CAPACITY - 1);
    for (let at = found; at > 0; at--) sets[at] = sets[at - 1] as FieldSet;
    sets[0] = known;
    return known;
  }
}
