/** The source of time for all of Keelson: `RealClock` in a running cluster, `VirtualClock` in tests. */
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
 * What a timer is for; virtual time may skip some runs of timers with a role.
 *
 * A beat is periodic work whose result only matters when another component reads it: while nothing else happens, virtual
 * time may skip rounds of it. A watchdog checks that beats still come: while they do, it may run late.
 */
export type TimerRole =
  | { readonly type: 'beat'; readonly name: string; readonly periodMs: number }
  | {
      readonly type: 'watchdog';
      readonly beats: readonly string[];
      /** How long the watchdog waits after each beat; default as long as its timer. */
      readonly patienceMs?: number;
    };

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
