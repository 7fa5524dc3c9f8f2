import type { Clock } from './clock.ts';

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
