import { addAmounts, increaseOfAmounts, type ResourceAmounts } from '../../api/meaning/index.ts';

/** An object that has been charged for is in the store, or will never be, after so long. */
export const ON_ITS_WAY_MS = 1000;

/** What a quota said at some time, and what has been taken off since. */
interface Mark {
  readonly atMs: number;
  readonly used: ResourceAmounts;
  freed: ResourceAmounts;
}

/** What the status of a quota is to say. */
export interface Finding {
  readonly used: ResourceAmounts;
  /** Whether that is what there is, and nothing on top for objects that may be on their way. */
  readonly isExact: boolean;
  /** To be called when it has been written. */
  written(): void;
  /** To be called when it has not been written for sure, because another has. */
  refused(): void;
}

/**
 * Says what is used of one quota while the server charges for what is created, before it is there.
 *
 * What is counted may be too little, then, and the quota would let in more than it allows. So what has gone is taken off what the
 * quota says, and a lower count is believed only on top of all that has been charged for in the last second.
 *
 * Example: the quota says 9, of which one is on its way; 8 are counted, and one of these goes: 8, not 7.
 */
export class QuotaAccount {
  #freed: ResourceAmounts = new Map();
  #mark: Mark | undefined;

  /** Something that was counted has gone. */
  free(amounts: ResourceAmounts): void {
    this.#freed = addAmounts(this.#freed, amounts);
  }

  /** Assumes that all that is freed is missing in `counted`. */
  find(said: ResourceAmounts, counted: ResourceAmounts, nowMs: number): Finding {
    const freed = this.#freed;
    this.#freed = new Map();
    const mark = this.#mark;
    this.#mark = undefined; // until it is known what was written
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
