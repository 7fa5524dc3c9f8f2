import { discardLogger, type Logger, VirtualClock } from '../base/index.ts';
import { RunTracker } from '../kit/index.ts';
import type { ObservedResources } from './observed-resources.ts';
import { settleRuns } from './settle-runs.ts';

export interface TestWorldOptions {
  readonly startMs: number;
  /** How long a run may wait for something outside of the cluster, in real time. */
  readonly reconcileTimeoutMs: number;
  readonly observed: ObservedResources;
  /** Ends the cluster when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** What a cluster in a test goes by: its time, and the runs that time waits for. */
export class TestWorld {
  readonly clock: VirtualClock;
  readonly tracker = new RunTracker();
  readonly observed: ObservedResources;
  readonly reconcileTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Told what holds things up. */
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
      mayLeaveOut: (beat) => observed.isUnnoticed(beat),
      changes: () => this.revision(),
      owner: () => this.tracker.current,
    });
    observed.beforeUse = (isAsked) => this.clock.catchUp(isAsked);
  }

  /** Lets what is under way go on, until it waits for time to pass. Rejects when the cluster is to end. */
  settle(): Promise<void> {
    const { tracker, reconcileTimeoutMs, log, signal } = this;
    return settleRuns({ tracker, reconcileTimeoutMs, log, signal });
  }
}
