import type { Clock } from '../../base/index.ts';
import type { Deadlines } from './deadlines.ts';

export interface ExpiryOptions {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** Deletes these keys; `false` when that failed and is to be retried a little later. */
  readonly expire: (keys: readonly string[]) => Promise<boolean>;
}

/** Max keys deleted in one transaction. */
const MAX_AT_ONCE = 1000;
const RETRY_MS = 1000;

/** Deletes keys when they expire: one timer, for the earliest of them, and none when no key has a deadline. */
export class Expiry implements Disposable {
  readonly #options: ExpiryOptions;
  #timer: Disposable | undefined;
  #timerForMs: number | undefined;
  #isExpiring = false;
  #isOver = false;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  /** Call whenever deadlines may have changed. */
  arm(): void {
    const nextMs = this.#options.deadlines.nextMs;
    if (nextMs === this.#timerForMs || this.#isExpiring || this.#isOver) return;
    this.#setTimer(nextMs);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }

  #setTimer(dueMs: number | undefined): void {
    this.#timer?.[Symbol.dispose]();
    this.#timerForMs = dueMs;
    if (dueMs === undefined) this.#timer = undefined;
    else this.#timer = this.#options.clock.timer(dueMs - this.#options.clock.now(), () => void this.#expireDue());
  }

  async #expireDue(): Promise<void> {
    const { clock, deadlines, expire } = this.#options;
    const keys: string[] = [];
    for (const key of deadlines.due(clock.now())) if (keys.push(key) >= MAX_AT_ONCE) break;
    this.#timerForMs = undefined;
    this.#isExpiring = true;
    const isDone = await expire(keys);
    this.#isExpiring = false;
    if (this.#isOver) return;
    if (isDone) this.arm();
    else this.#setTimer(clock.now() + RETRY_MS);
  }
}
