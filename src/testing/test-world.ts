import { discardLogger, type Logger, VirtualClock } from '../base/index.ts';
import { RunTracker } from '../kit/index.ts';
import type { ObservedResources } from './observed-resources.ts';
import { settleRuns } from './settle-runs.ts';

export interface TestWorldOptions {
  readonly startMs: number;
  /** How long a run may wait for something outside the cluster, in real time. */
  readonly reconcileTimeoutMs: number;
  readonly observed: ObservedResources;
  /** Ends the cluster when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** A test cluster's clock, and the runs that the clock waits for. */
export class TestWorld {
  readonly clock: VirtualClock;
  readonly tracker = new RunTracker();
  readonly observed: ObservedResources;
  readonly reconcileTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Receives warnings about runs that hold up time. */
  log: Logger = discardLogger;
  /** The newest revision in the cluster's store; undefined until the cluster is there. */
  revision: () => number | undefined = () => undefined;

  constructor({ startMs, observed, reconcileTimeoutMs, signal }: TestWorldOptions) {
    this.signal = signal;
    this.observed = observed;
    this.reconcileTimeoutMs = reconcileTimeoutMs;
    this.clock = new VirtualClock({
      startMs,
      settle: () => this.settle(),
      maySkip: (beat) => observed.isUnnoticed(beat),
      changes: () => (this.signal?.aborted === true ? undefined : this.revision()), // the store of an ending cluster is closed
      owner: () => this.tracker.current,
    });
    observed.beforeUse = (isAsked) => this.clock.catchUp(isAsked);
  }

  /** Lets pending work continue until it waits for the clock. Rejects when the cluster is stopping. */
  settle(): Promise<void> {
    const { tracker, reconcileTimeoutMs, log, signal } = this;
    return settleRuns({ tracker, reconcileTimeoutMs, log, signal });
  }
}
