import { CostLimitExceeded, type Value } from '../values/index.ts';

/** The variables of an evaluation, by name; undefined when one is missing. */
export interface Bindings {
  readonly [name: string]: unknown;
}

/** The state of one evaluation. */
export class Frame {
  readonly bindings: Bindings;
  readonly limit: number;
  /** Loop variables, each in its own slot. */
  readonly locals: unknown[] = [];
  cost = 0;

  constructor(bindings: Bindings, limit: number) {
    this.bindings = bindings;
    this.limit = limit;
  }

  /** Counts cost; throws when the limit is exceeded. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitExceeded();
  }
}

/** An expression made executable. Failures are returned as values. */
export type Evaluate = (frame: Frame) => Value;
