import type { TurnBudget, TurnLane } from '../base/index.ts';

/**
 * The turns of one program of the cluster: it shares a budget of time with the others, and waits in lanes of its own, so that a
 * controller with thousands of requests delays neither another program nor what it hears and reports itself.
 */
export class ProgramTurns {
  readonly #budget: TurnBudget;
  readonly #requests: TurnLane = { isPreferred: false };
  /** A program writes its events one after the other: behind its other requests each would wait for all of them. */
  readonly #events: TurnLane = { isPreferred: true };
  readonly #changes: TurnLane = { isPreferred: false };

  constructor(budget: TurnBudget) {
    this.#budget = budget;
  }

  /** Undefined when the request may be sent at once. */
  forRequest(path: string): Promise<void> | undefined {
    return this.#budget.take(EVENTS.test(path) ? this.#events : this.#requests);
  }

  /** Undefined when the program may be given a batch of watch events at once. */
  forChanges(): Promise<void> | undefined {
    return this.#budget.take(this.#changes);
  }
}

const EVENTS = /\/events(?:$|[/?])/;
