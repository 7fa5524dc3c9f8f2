import type { Clock } from '../../base/index.ts';

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

  /** False when that was one too many. The clock is asked only when nothing is left. */
  spend(frames = 1): boolean {
    this.#left -= frames;
    if (this.#left >= 0) return true;
    const now = this.#clock.monotonic();
    const earned = ((now - this.#countedAtMs) / 1000) * FRAMES_PER_SECOND;
    this.#countedAtMs = now;
    this.#left = Math.min(MAX_FRAMES, this.#left + earned);
    return this.#left >= 0;
  }

  earn(frames: number): void {
    this.#left = Math.min(MAX_FRAMES, this.#left + frames);
  }
}
