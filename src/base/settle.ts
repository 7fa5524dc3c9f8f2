import type { Clock } from './clock.ts';

/** Most work is over within a few turns of the event loop; whoever is not done by then waits for a disk. */
const QUICK_TURNS = 50;
/** What Node calls a pending `setImmediate`, a file operation, and the closing of a file handle. */
const WORK_KINDS = /^Immediate$|^FSReq|CloseReq$/;

export interface SettleOptions {
  /** Gives up waiting after so many turns of the event loop, so that a task which polls for ever cannot hang the caller. */
  readonly maxTurns?: number;
}

/**
 * Lets work that can go on by itself go on: microtasks, `setImmediate` chains and file operations in flight.
 *
 * Ends: after one turn of the event loop at least, when none of these is left, or after `maxTurns` (about a second).
 * Does not wait for timers, sockets or other processes: only their owner knows when they are done.
 */
export async function settle(options: SettleOptions = {}): Promise<void> {
  const maxTurns = options.maxTurns ?? 1000;
  for (let turn = 0; turn < maxTurns; turn++) {
    await (turn < QUICK_TURNS ? nextTurn() : shortPause());
    if (!isWorkUnderWay()) return;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function shortPause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 1));
}

function isWorkUnderWay(): boolean {
  return process.getActiveResourcesInfo().some((kind) => WORK_KINDS.test(kind));
}

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
