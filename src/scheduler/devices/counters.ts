import type { Quantity } from '../../api/values/index.ts';
import { amountOf } from './capacity.ts';
import { type Candidate, deviceId, type Pool } from './device.ts';

/** Tracks the counters that devices consume from their pools during a search. */
export class CounterUse {
  readonly #isAllocated: (id: string) => boolean;
  /** What allocated devices leave over, by pool; keys are counter set and counter. */
  readonly #available = new Map<Pool, ReadonlyMap<string, Quantity>>();
  readonly #drawn = new Map<Pool, Map<string, Quantity>>();

  constructor(isAllocated: (id: string) => boolean) {
    this.#isAllocated = isAllocated;
  }

  /** Consumes the device's counters; false, and nothing is consumed, when they do not suffice. */
  draw(candidate: Candidate): boolean {
    const { pool } = candidate;
    const available = this.#availableIn(pool);
    const drawn = this.#drawn.get(pool) ?? new Map<string, Quantity>();
    this.#drawn.set(pool, drawn);
    for (const [key, amount] of needsOf(candidate.device)) drawn.set(key, drawn.get(key)?.add(amount) ?? amount);
    for (const [key, left] of available) {
      const used = drawn.get(key);
      if (used === undefined ? left.sign >= 0 : left.compare(used) >= 0) continue;
      this.giveBack(candidate);
      return false;
    }
    return true;
  }

  giveBack({ device, pool }: Candidate): void {
    const drawn = this.#drawn.get(pool);
    for (const [key, amount] of needsOf(device)) {
      const used = drawn?.get(key);
      if (used !== undefined) drawn?.set(key, used.sub(amount));
    }
  }

  #availableIn(pool: Pool): ReadonlyMap<string, Quantity> {
    const known = this.#available.get(pool);
    if (known !== undefined) return known;
    const available = new Map<string, Quantity>();
    for (const [set, counters] of pool.counters)
      for (const [name, value] of counters) available.set(`${set}/${name}`, amountOf(value));
    for (const { spec } of [...pool.slices, ...pool.otherSlices])
      for (const device of spec.devices ?? []) {
        if (!this.#isAllocated(deviceId(pool.driver, pool.name, device.name))) continue;
        for (const [key, amount] of needsOf(device))
          available.set(key, available.get(key)?.sub(amount) ?? amount.neg());
      }
    this.#available.set(pool, available);
    return available;
  }
}

function* needsOf({ consumesCounters = [] }: Candidate['device']): Iterable<[key: string, amount: Quantity]> {
  for (const { counterSet, counters } of consumesCounters)
    for (const [name, { value }] of Object.entries(counters)) yield [`${counterSet}/${name}`, amountOf(value)];
}
