import type { Random } from '../../../src/base/index.ts';

/** Draws for generators of random objects. */
export class Chance {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** True with this probability, in percent. */
  percent(share: number): boolean {
    return this.random.int(100) < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.random.int(items.length)] as T;
  }

  between(from: number, to: number): number {
    return from + this.random.int(to - from + 1);
  }

  /** Some of the items, in a random order; at least `least`. */
  some<T>(items: readonly T[], least = 0): T[] {
    const left = [...items];
    const taken: T[] = [];
    const count = this.between(Math.min(least, left.length), left.length);
    while (taken.length < count) taken.push(...left.splice(this.random.int(left.length), 1));
    return taken;
  }

  /** An object with some of the members; each value is drawn when it is taken. */
  members(makers: Readonly<Record<string, () => unknown>>, share = 40): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const [name, make] of Object.entries(makers)) if (this.percent(share)) result[name] = make();
    return result;
  }
}
