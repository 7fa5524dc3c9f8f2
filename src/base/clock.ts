/** Time as everything in Keelson sees it. `RealClock` runs a cluster, `VirtualClock` runs a test. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back; for measuring durations. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `wake` once after `ms`; disposing cancels it. Pending timers never keep the process alive on their own. */
  timer(ms: number, wake: () => void): Disposable;
}

/** `Clock.sleep` in terms of `Clock.timer`, the same for every clock: resolves when the time has come or the signal aborts. */
export function sleepOn(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return new Promise((resolve) => void clock.timer(ms, resolve));
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = (): void => {
      timer[Symbol.dispose]();
      resolve();
    };
    const timer = clock.timer(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
