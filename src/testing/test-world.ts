import { discardLogger, type Logger, settle, VirtualClock } from '../base/index.ts';
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

/** Maximum virtual time in which a cluster stops. */
const MAX_STOP_MS = 5 * 60_000;

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
  #isStopping = false;

  constructor({ startMs, observed, reconcileTimeoutMs, signal }: TestWorldOptions) {
    this.signal = signal;
    this.observed = observed;
    this.reconcileTimeoutMs = reconcileTimeoutMs;
    this.clock = new VirtualClock({
      startMs,
      settle: () => (this.#isStopping ? settle() : this.settle()),
      maySkip: (beat) => observed.isUnnoticed(beat),
      changes: () => (this.#isStopping || this.signal?.aborted === true ? undefined : this.revision()), // its store is closed
      owner: () => this.tracker.current,
    });
    observed.beforeUse = (isAsked) => this.clock.catchUp(isAsked);
  }

  /** Lets pending work continue until it waits for the clock. Rejects when the cluster is stopping. */
  settle(): Promise<void> {
    const { tracker, reconcileTimeoutMs, log, signal } = this;
    return settleRuns({ tracker, reconcileTimeoutMs, log, signal });
  }

  /**
   * Waits for a cluster that is stopping. Time passes as far as programs need it for their last requests: without it, a delayed
   * response would never arrive, and its timeout would never pass.
   */
  async untilStopped(stopping: Promise<void>): Promise<void> {
    let isStopped = false;
    const watched = stopping.finally(() => (isStopped = true));
    watched.catch(() => undefined); // thrown below
    await settle();
    if (this.signal?.aborted === true) await this.clock.advance(0).catch(() => undefined); // rejects after one in progress
    this.#isStopping = true;
    for (const lastMs = this.clock.now() + MAX_STOP_MS; !isStopped; await settle()) {
      const { nextDueMs = Infinity } = this.clock;
      if (nextDueMs > lastMs) break;
      await this.clock.advance(nextDueMs - this.clock.now());
    }
    this.#isStopping = false;
    await watched;
  }
}
