/** Time as everything in Keelson sees it. `RealClock` runs a cluster, `VirtualClock` runs a test. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back; for measuring durations. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `wake` once after `ms`; disposing cancels it. Pending timers never keep the process alive on their own. */
  timer(ms: number, wake: () => void, role?: TimerRole): Disposable;
}

/**
 * What a timer is for, where virtual time may then pass faster.
 *
 * A beat comes again and again, and does what nobody misses as long as it was done when they look: while nothing else happens,
 * rounds of it may be left out. A watchdog looks for beats that have stopped: while those that it waits for go on, it may be late.
 */
export type TimerRole =
  | { readonly type: 'beat'; readonly name: string; readonly periodMs: number }
  | { readonly type: 'watchdog'; readonly beats: readonly string[] };

/** `Clock.sleep` in terms of `Clock.timer`, the same for every clock: resolves when the time has come or the signal aborts. */
export function sleepOn(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return sleepAs(clock, ms, { signal });
}

/** As `sleepOn`, with a timer that has a role. */
export function sleepAs(
  clock: Pick<Clock, 'timer'>,
  ms: number,
  { signal, role }: { readonly signal?: AbortSignal | undefined; readonly role?: TimerRole },
): Promise<void> {
  if (signal === undefined) return new Promise((resolve) => void clock.timer(ms, resolve, role));
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = (): void => {
      timer[Symbol.dispose]();
      resolve();
    };
    const wake = (): void => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = clock.timer(ms, wake, role);
    signal.addEventListener('abort', stop, { once: true });
  });
}
