import { limits } from '../../cel/index.ts';

const MOST = 2n ** 64n - 1n;
/** Max rules named for a definition that is too expensive as a whole, and only if they contribute. */
const NAMED = 4;
const WORTH_NAMING = BigInt(limits.definitionEstimate) / 100n;

/** Max evaluations of rules at a place for one object; undefined: the schema sets no bound. */
export type Cardinality = bigint | undefined;

export function timesAtMost(cost: bigint, count: bigint): bigint {
  const product = cost * count;
  return product > MOST ? MOST : product;
}

/** Adds up the estimated costs of the rules of one schema. */
export class RuleCosts {
  total = 0n;
  #expensive: { readonly path: string; readonly cost: bigint }[] = [];

  add(path: string, cost: bigint): void {
    this.total = this.total + cost > MOST ? MOST : this.total + cost;
    if (cost < WORTH_NAMING) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((left, right) => Number(right.cost > left.cost) - Number(right.cost < left.cost));
    this.#expensive = this.#expensive.slice(0, NAMED);
  }

  /** The paths of the most expensive rules, the most expensive first. */
  get expensivePaths(): readonly string[] {
    return this.#expensive.map(({ path }) => path);
  }
}

export function costMessage(what: string, cost: bigint, limit: number): string {
  const factor = Number(cost) / limit;
  const text = factor > 100 ? 'more than 100x' : `${factor < 1.5 ? fixed(factor, 6) : fixed(factor, 1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${text} (${advice})`;
}

/** Like toFixed, but halves go to the even neighbour, as in Go. */
function fixed(value: number, digits: number): string {
  const scaled = value * 10 ** digits;
  const floor = Math.floor(scaled);
  const isTie = scaled - floor === 0.5 && scaled / 10 ** digits === value;
  return (isTie && floor % 2 === 0 ? floor / 10 ** digits : value).toFixed(digits);
}
