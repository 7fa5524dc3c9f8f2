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
