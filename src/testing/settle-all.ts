import { type Duration, millisecondsOf, type VirtualClock } from '../base/index.ts';
import type { App, RunTracker } from '../kit/index.ts';
import { describeCircle } from './run-circle.ts';

/** How long `settle` continues, and when it gives up on a loop. */
export interface SettleOptions {
  /** Rejects, and names the loop, when a controller has run more often than this for one object; default 1,000. */
  readonly maxRuns?: number;
  /** Advances virtual time for retries that are due within this time; default 2s. */
  readonly retriesWithin?: Duration;
}

export interface SettleParts extends SettleOptions {
  readonly clock: VirtualClock;
  readonly tracker: RunTracker;
  /** Lets pending work continue. */
  readonly settle: () => Promise<void>;
}

const RETRIES_WITHIN_MS = 2000;
const MAX_ROUNDS = 10_000;
const MAX_RUNS = 1000;

/** Lets the running apps finish the work that is due now or within `retriesWithin`. */
export async function settleAll(running: () => readonly App[], parts: SettleParts): Promise<void> {
  const { clock, tracker, settle, maxRuns = MAX_RUNS, retriesWithin = RETRIES_WITHIN_MS } = parts;
  tracker.forgetCounts();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await settle();
    if (tracker.mostRuns > maxRuns) throw new Error(`Cannot settle the cluster: ${describeCircle(running(), maxRuns)}`);
    if (running().every(({ isIdle }) => isIdle)) return;
    const dueInMs = (clock.nextDueMs ?? Infinity) - clock.now();
    if (dueInMs <= millisecondsOf(retriesWithin)) await clock.advance(dueInMs);
  }
  const busy = running()
    .filter(({ isIdle }) => !isIdle)
    .map(({ name }) => name);
  throw new Error(`Cannot settle the cluster: ${busy.join(', ')} never became idle`);
}
