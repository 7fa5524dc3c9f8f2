import { AbortScope, type Clock, type Runnable } from '../../base/index.ts';

export interface SyncLoopOptions {
  /** Time between the end of one run and the start of the next. */
  readonly minPeriodMs: number;
  /** Time after which a run that failed is made again, unless there is another reason before. */
  readonly retryMs: number;
  /** Time after which a run is made without a reason. */
  readonly maxPeriodMs: number;
  readonly clock: Clock;
  /** Does the work; a rejection is a failure. */
  run(signal: AbortSignal): Promise<void>;
  failed(error: unknown): void;
}

/** Runs work when it is asked for, but not too often; again when it failed; and now and then without a reason. */
export class SyncLoop implements Runnable {
  readonly #options: SyncLoopOptions;
  #isWanted = false;
  #isRunning = false;
  /** Whether only time can bring the next run: before the loop runs, and in the pause after a run. */
  #isResting = true;
  #wake: (() => void) | undefined;

  constructor(options: SyncLoopOptions) {
    this.#options = options;
  }

  /** True while nothing could go on without time passing. */
  get isIdle(): boolean {
    return !this.#isRunning && (!this.#isWanted || this.#isResting);
  }

  /** Asks for a run as soon as one may be made. */
  request(): void {
    this.#isWanted = true;
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, minPeriodMs, retryMs, maxPeriodMs } = this.#options;
    let waitMs = maxPeriodMs;
    while (!signal.aborted) {
      this.#isResting = false;
      await this.#wanted(waitMs, signal);
      if (signal.aborted) return;
      waitMs = (await this.#once(signal)) ? maxPeriodMs : Math.min(retryMs, maxPeriodMs);
      this.#isResting = true;
      await clock.sleep(minPeriodMs, signal);
      waitMs = Math.max(0, waitMs - minPeriodMs);
    }
  }

  async #once(signal: AbortSignal): Promise<boolean> {
    this.#isWanted = false;
    this.#isRunning = true;
    try {
      await this.#options.run(signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#options.failed(error);
      return false;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Resolves when a run is wanted, the time is over, or the signal aborts. */
  async #wanted(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isWanted) return;
    using scope = new AbortScope(signal);
    this.#wake = () => scope.abort();
    await this.#options.clock.sleep(ms, scope.signal);
    this.#wake = undefined;
  }
}
