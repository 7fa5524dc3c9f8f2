import { type Clock, sleepOn } from './clock.ts';

/** The longest delay of a Node timer; Node fires a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's time. Waiting on it never keeps the process alive. */
export class RealClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timer(ms: number, wake: () => void): Disposable {
    return new RealTimer(ms, wake);
  }
}

/** One wait of any length: one that is too long for Node is split. */
class RealTimer implements Disposable {
  readonly #wake: () => void;
  #remainingMs: number;
  #handle: NodeJS.Timeout | undefined;

  constructor(ms: number, wake: () => void) {
    this.#wake = wake;
    this.#remainingMs = ms;
    this.#startLeg();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#handle);
  }

  #startLeg(): void {
    const legMs = Math.min(this.#remainingMs, MAX_TIMER_MS);
    this.#remainingMs -= legMs;
    this.#handle = setTimeout(() => (this.#remainingMs > 0 ? this.#startLeg() : this.#wake()), legMs);
    this.#handle.unref();
  }
}
