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
