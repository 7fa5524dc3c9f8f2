import { addAmounts, increaseOfAmounts, type ResourceAmounts } from '../../api/meaning/index.ts';

/** After this time, an object that admission charged is in the store or never will be. */
export const ON_ITS_WAY_MS = 1000;

/** The quota's usage at some time, and what was freed since. */
interface Mark {
  readonly atMs: number;
  readonly used: ResourceAmounts;
  freed: ResourceAmounts;
}

/** The usage to write into the quota's status. */
export interface Finding {
  readonly used: ResourceAmounts;
  /** False when it includes objects that may still be on their way into the store. */
  readonly isExact: boolean;
  /** Call after the status was written. */
  written(): void;
  /** Call after the write failed with a conflict. */
  refused(): void;
}

/**
 * Computes the usage of one quota while admission charges for objects before they are stored.
 *
 * A count may therefore be too low, and the quota would admit more than it allows. So freed amounts are subtracted from
 * the quota's current usage, and a lower count is only used together with everything charged in the last second.
 *
 * Example: the usage is 9, of which one object is on its way; 8 are counted, and one of these is deleted: 8, not 7.
 */
export class QuotaAccount {
  #freed: ResourceAmounts = new Map();
  #mark: Mark | undefined;

  /** Records that a counted object was deleted. */
  free(amounts: ResourceAmounts): void {
    this.#freed = addAmounts(this.#freed, amounts);
  }

  /** Assumes that `counted` no longer contains the freed amounts. */
  find(said: ResourceAmounts, counted: ResourceAmounts, nowMs: number): Finding {
    const freed = this.#freed;
    this.#freed = new Map();
    const mark = this.#mark;
    this.#mark = undefined; // until the write has succeeded
    const isSeasoned = mark !== undefined && nowMs - mark.atMs >= ON_ITS_WAY_MS;
    const left = increaseOfAmounts(said, freed);
    const most = isSeasoned ? addAmounts(counted, increaseOfAmounts(addAmounts(said, mark.freed), mark.used)) : left;
    const used = new Map(said);
    let isExact = true;
    for (const [name, count] of counted) {
      const bounds = [left.get(name), most.get(name)].flatMap((amount) => amount ?? []);
      const isBelow = said.has(name) && bounds.every((amount) => amount.compare(count) > 0);
      const [found = count] = isBelow ? bounds.toSorted((one, other) => one.compare(other)) : [];
      used.set(name, found);
      if (isBelow || !said.has(name)) isExact = false;
    }
    return {
      used,
      isExact,
      written: () => {
        if (isExact) return;
        if (mark === undefined || isSeasoned) this.#mark = { atMs: nowMs, used, freed: new Map() };
        else this.#mark = { ...mark, freed: addAmounts(mark.freed, freed) };
      },
      refused: () => {
        this.free(freed);
        this.#mark = mark;
      },
    };
  }
}
