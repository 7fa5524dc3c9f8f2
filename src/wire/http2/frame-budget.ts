import type { Clock } from '../../base/index.ts';
import { CODE, ConnectionError } from './protocol.ts';

/** Frames that bring nothing, such as pings, that a connection may send at once, and how many more each second. */
const MAX_FRAMES = 10_000;
const FRAMES_PER_SECOND = 500;

/**
 * Counts the frames that bring nothing and yet cost work: pings, settings, priorities, empty data, windows opened by a few
 * bytes (CVE-2019-9511 to 9518). Frames that go with requests and bodies are earned by these.
 */
export class FrameBudget {
  readonly #clock: Clock;
  #left = MAX_FRAMES;
  #countedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAtMs = clock.monotonic();
  }

  /** Throws when that was one too many. The clock is asked only when nothing is left. */
  spend(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const now = this.#clock.monotonic();
    const earned = ((now - this.#countedAtMs) / 1000) * FRAMES_PER_SECOND;
    this.#countedAtMs = now;
    this.#left = Math.min(MAX_FRAMES, this.#left + earned);
    if (this.#left < 0) throw new ConnectionError(CODE.enhanceYourCalm, 'Too many frames that bring nothing');
  }

  earn(frames: number): void {
    this.#left = Math.min(MAX_FRAMES, this.#left + frames);
  }
}
