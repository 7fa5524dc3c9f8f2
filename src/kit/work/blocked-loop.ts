import type { Clock, Logger } from '../../base/index.ts';
import type { ReconcileRecord } from '../trace.ts';

export interface BlockedLoopOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

const CHECK_EVERY_MS = 500;
/** A timer that is later than this was held up by code that did not yield. */
const MAX_LATE_MS = 1000;

/**
 * Reports when code has kept the process from timers, watches and renewals of its lease for more than a second, with the
 * run that took that long, if it was one.
 */
export class BlockedLoop implements Disposable {
  readonly #options: BlockedLoopOptions;
  #timer: Disposable;
  #dueMs = 0;
  #longest: ReconcileRecord | undefined;

  constructor(options: BlockedLoopOptions) {
    this.#options = options;
    this.#timer = this.#next();
  }

  /** For each run that has ended. */
  readonly ran = (record: ReconcileRecord): void => {
    if (record.durationMs > (this.#longest?.durationMs ?? 0)) this.#longest = record;
  };

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #next(): Disposable {
    const { clock } = this.#options;
    this.#dueMs = clock.monotonic() + CHECK_EVERY_MS;
    return clock.timer(CHECK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    const { clock, log } = this.#options;
    const lateMs = Math.round(clock.monotonic() - this.#dueMs);
    if (lateMs > MAX_LATE_MS) {
      const { controller, key: object, durationMs = 0 } = this.#longest ?? {};
      const run = durationMs >= lateMs ? { controller, object } : {};
      log.warn('the event loop was blocked: code ran without yielding to others', { ms: lateMs, ...run });
    }
    this.#longest = undefined;
    this.#timer = this.#next();
  }
}
