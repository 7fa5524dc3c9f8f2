import type { Random } from './random.ts';

export interface BackoffOptions {
  /** The first delay. */
  readonly initialMs: number;
  /** Each delay is so many times the one before; 2 unless given. */
  readonly factor?: number;
  /** Up to this share of a delay is added to it by chance, so that many callers do not come back at once; 0 unless given. */
  readonly jitter?: number;
  /** Delays stop growing here (jitter comes on top); none unless given. */
  readonly capMs?: number;
}

/**
 * Says how long to wait before trying again; waiting is the caller's part.
 *
 * Example: initial 100, factor 2, cap 500, no jitter: 100, 200, 400, 500, 500, …; after `reset()` 100 again.
 */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  readonly #random: Random;
  #baseMs: number;
  #attempts = 0;

  constructor(options: BackoffOptions, random: Random) {
    this.#options = { factor: 2, jitter: 0, capMs: Infinity, ...options };
    this.#random = random;
    checkOptions(this.#options);
    this.#baseMs = Math.min(this.#options.initialMs, this.#options.capMs);
  }

  /** How many delays were handed out since the start or the last reset. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The delay before the next try. */
  nextMs(): number {
    const { factor, jitter, capMs } = this.#options;
    const baseMs = this.#baseMs;
    this.#attempts += 1;
    this.#baseMs = Math.min(baseMs * factor, capMs);
    return jitter === 0 ? baseMs : baseMs * (1 + jitter * this.#random.float());
  }

  /** Something succeeded: start again from the first delay. */
  reset(): void {
    this.#attempts = 0;
    this.#baseMs = Math.min(this.#options.initialMs, this.#options.capMs);
  }
}

function checkOptions({ initialMs, factor, jitter, capMs }: Required<BackoffOptions>): void {
  const isSound = initialMs >= 0 && initialMs < Infinity && factor >= 1 && jitter >= 0 && capMs >= 0;
  if (isSound) return;
  throw new RangeError(
    `Cannot back off: need initialMs >= 0, factor >= 1, jitter >= 0, capMs >= 0, got ${initialMs}, ${factor}, ${jitter}, ${capMs}`,
  );
}
