import type { Clock } from '../../base/index.ts';
import { CODE, ConnectionError } from './protocol.ts';

/** How many frames without content, such as pings, a connection may send at once, and how many more each second. */
const MAX_FRAMES = 10_000;
const FRAMES_PER_SECOND = 500;

/**
 * Limits the frames that carry nothing and still cost work: pings, settings, priorities, empty data, tiny window updates
 * (CVE-2019-9511 to 9518). Requests and bodies add to the budget.
 */
export class FrameBudget {
  readonly #clock: Clock;
  #left = MAX_FRAMES;
  #countedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAtMs = clock.monotonic();
  }

  /** Throws when the budget is exceeded. Reads the clock only when the budget is used up. */
  spend(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const now = this.#clock.monotonic();
    const earned = ((now - this.#countedAtMs) / 1000) * FRAMES_PER_SECOND;
    this.#countedAtMs = now;
    this.#left = Math.min(MAX_FRAMES, this.#left + earned);
    if (this.#left < 0) throw new ConnectionError(CODE.enhanceYourCalm, 'Too many frames without content');
  }

  earn(frames: number): void {
    this.#left = Math.min(MAX_FRAMES, this.#left + frames);
  }
}
