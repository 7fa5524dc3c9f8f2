import { type Bindings, type Evaluate, Frame } from './evaluate/frame.ts';
import { Breakdown, CelError, CostLimitExceeded, type Value } from './values/index.ts';

export interface ProgramOptions {
  /** Evaluation ends with an error when it costs more. */
  readonly costLimit?: number;
}

/** The result of an evaluation, and its cost. */
export type Evaluation =
  | { readonly ok: true; readonly value: Value; readonly cost: number }
  | { readonly ok: false; readonly error: string; readonly cost: number; readonly isOverLimit: boolean };

/** An executable expression. May be evaluated any number of times. */
export class Program {
  readonly #evaluate: Evaluate;
  readonly #costLimit: number;

  constructor(evaluate: Evaluate, options: ProgramOptions) {
    this.#evaluate = evaluate;
    this.#costLimit = options.costLimit ?? Number.POSITIVE_INFINITY;
  }

  /** Evaluates with these variables. Never throws: an error is part of the result. */
  evaluate(bindings: Bindings): Evaluation {
    const frame = new Frame(bindings, this.#costLimit);
    try {
      const value = this.#evaluate(frame);
      if (value instanceof CelError) return { ok: false, error: value.message, cost: frame.cost, isOverLimit: false };
      return { ok: true, value, cost: frame.cost };
    } catch (error) {
      return { ok: false, error: describe(error), cost: frame.cost, isOverLimit: error instanceof CostLimitExceeded };
    }
  }
}

/** Unbounded strings and recursion end here too, since the cost limit does not bound everything. */
function describe(error: unknown): string {
  if (error instanceof CostLimitExceeded || error instanceof Breakdown) return error.message;
  if (error instanceof RangeError) return `internal error: ${error.message}`;
  throw error;
}
