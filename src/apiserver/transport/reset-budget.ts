import type { Clock } from '../../base/index.ts';

export interface ResetBudgetOptions {
  readonly maxResets: number;
  readonly resetsPerSecond: number;
}

/**
 * Counts the requests that a connection resets. Starting and resetting streams costs a client next to nothing and the server much
 * (CVE-2023-44487): a connection may do it `maxResets` times at once, and `resetsPerSecond` in the long run.
 */
export class ResetBudget {
  readonly #clock: Clock;
  readonly #options: ResetBudgetOptions;
  #left: number;
  #countedAtMs: number;

  constructor(clock: Clock, options: ResetBudgetOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#left = options.maxResets;
    this.#countedAtMs = clock.monotonic();
  }

  /** Whether nothing has been spent, or everything has been refilled. */
  get isFull(): boolean {
    const earned = ((this.#clock.monotonic() - this.#countedAtMs) / 1000) * this.#options.resetsPerSecond;
    return this.#left + earned >= this.#options.maxResets;
  }

  /** Returns false when the budget is exhausted. */
  spend(): boolean {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#countedAtMs) / 1000) * this.#options.resetsPerSecond;
    this.#countedAtMs = now;
    this.#left = Math.min(this.#options.maxResets, this.#left + earned) - 1;
    return this.#left >= 0;
  }
}

/** The budget of one address, as a multiple of a connection's budget. */
const ADDRESS_BUDGET_FACTOR = 4;

/** One budget for all connections of an address: reconnecting does not bring a new one. */
export class AddressBudgets {
  readonly #clock: Clock;
  readonly #options: ResetBudgetOptions;
  readonly #budgets = new Map<string, ResetBudget>();

  constructor(clock: Clock, { maxResets, resetsPerSecond }: ResetBudgetOptions) {
    this.#clock = clock;
    this.#options = {
      maxResets: maxResets * ADDRESS_BUDGET_FACTOR,
      resetsPerSecond: resetsPerSecond * ADDRESS_BUDGET_FACTOR,
    };
  }

  /** Spends from the address's budget; returns false when it is exhausted. Full budgets are removed. */
  spend(address: string): boolean {
    let budget = this.#budgets.get(address);
    if (budget === undefined) {
      for (const [other, one] of this.#budgets) if (one.isFull) this.#budgets.delete(other);
      budget = new ResetBudget(this.#clock, this.#options);
      this.#budgets.set(address, budget);
    }
    return budget.spend();
  }
}
