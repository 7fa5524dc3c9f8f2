import type { Clock } from './clock.ts';
import { nextTurn } from './next-turn.ts';

/** Most work is over within this many turns of the event loop; the rest waits for a disk. */
const QUICK_TURNS = 50;
/** Node's names for a pending `setImmediate`, a file operation, and the closing of a file handle. */
const WORK_KINDS = /^Immediate$|^FSReq|CloseReq$/;

export interface SettleOptions {
  /** Stops waiting after this many turns of the event loop, so that a task which polls forever cannot hang the caller. */
  readonly maxTurns?: number;
}

/**
 * Waits for work that needs no outside event: microtasks, `setImmediate` chains and file operations in flight.
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
  /** Creates the error for a timeout. */
  readonly onTimeout: () => Error;
}

/** The result of a shared promise, unless this caller's signal aborts or its timeout passes first; the work itself continues. */
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
