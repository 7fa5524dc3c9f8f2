import type { Clock } from './clock.ts';

export interface WaitForOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly clock: Clock;
  /** Makes the error when time is up. */
  readonly onTimeout: () => Error;
}

/** What a shared promise gives, unless this caller's own signal or time comes first; the work itself goes on. */
export function waitFor<T>(work: Promise<T>, options: WaitForOptions): Promise<T> {
  const { signal, timeoutMs, clock } = options;
  if (signal === undefined && timeoutMs === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => finish(() => reject(signal?.reason as Error));
    const timer =
      timeoutMs === undefined ? undefined : clock.timer(timeoutMs, () => finish(() => reject(options.onTimeout())));
    const finish = (settle: () => void): void => {
      timer?.[Symbol.dispose]();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
