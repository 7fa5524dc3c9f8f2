import type { Clock, Logger } from '../../base/index.ts';
import type { ReconcileRecord } from '../trace.ts';

const CHECK_EVERY_MS = 500;
/** A timer that is later than this was held up by code that did not yield. */
const MAX_LATE_MS = 1000;

/**
 * Reports when code has kept the process from timers, watches and renewals of its lease for more than a second, with the
 * run that took that long, if it was one. `ran` is called with each run that has ended.
 */
export function watchEventLoop(clock: Clock, log: Logger): Disposable & { ran(record: ReconcileRecord): void } {
  let longest: ReconcileRecord | undefined;
  let timer: Disposable;
  const next = (): void => {
    const due = clock.monotonic() + CHECK_EVERY_MS;
    timer = clock.timer(CHECK_EVERY_MS, () => {
      const ms = Math.round(clock.monotonic() - due);
      const run: Partial<ReconcileRecord> = (longest?.durationMs ?? 0) < ms ? {} : { ...longest };
      if (ms > MAX_LATE_MS) log.warn('the event loop was blocked', { ms, controller: run.controller, object: run.key });
      longest = undefined;
      next();
    });
  };
  next();
  return {
    ran: (record) => void (record.durationMs > (longest?.durationMs ?? 0) && (longest = record)),
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
