import { keepAlive, type Logger, RealClock, settle } from '../base/index.ts';
import type { RunTracker, TrackedRun } from '../kit/index.ts';

export interface SettleRunsOptions {
  readonly tracker: RunTracker;
  /** How long a run may wait for something outside the cluster, in real time. */
  readonly reconcileTimeoutMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal | undefined;
}

/** Warns about runs that hold up time, before test runners time out. */
const WARN_AFTER_MS = 3000;
const MAX_PAUSE_MS = 10;

/**
 * Settles, and waits in real time for unfinished runs that have no timer: they wait for something outside the cluster,
 * such as a network response. Virtual time stands still meanwhile.
 */
export async function settleRuns({ tracker, reconcileTimeoutMs, log, signal }: SettleRunsOptions): Promise<void> {
  const clock = new RealClock();
  const startMs = clock.monotonic();
  using _alive = keepAlive();
  let isWarned = false;
  for (let pauseMs = 0; ; pauseMs = Math.min(pauseMs + 1, MAX_PAUSE_MS)) {
    signal?.throwIfAborted();
    await settle();
    const held = [...tracker.underWay].filter(({ timers }) => timers === 0);
    if (held.length === 0) return;
    const waitedMs = clock.monotonic() - startMs;
    if (waitedMs > reconcileTimeoutMs)
      throw new Error(`Cannot let time pass: after ${reconcileTimeoutMs} ms ${describe(held)} still under way`);
    if (waitedMs > WARN_AFTER_MS && !isWarned) {
      isWarned = true;
      log.warn(`time stands still: ${describe(held)} under way`);
    }
    await clock.sleep(pauseMs);
  }
}

function describe(runs: readonly TrackedRun[]): string {
  const names = runs.map(({ controller, key, why }) => {
    const reason = why.length === 0 ? '' : ` (${why.join(', ')})`;
    return `controller "${controller}" for "${key}"${reason}`;
  });
  return `the ${names.length === 1 ? 'run' : 'runs'} of ${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'}`;
}
