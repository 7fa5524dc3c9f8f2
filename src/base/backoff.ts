import type { Random } from './random.ts';

export interface BackoffOptions {
  /** The first delay. */
  readonly initialMs: number;
  /** Factor between one delay and the next; default 2. */
  readonly factor?: number;
  /** Adds a random part of up to this share of the delay, so that many callers do not retry at the same moment; default 0. */
  readonly jitter?: number;
  /** Delays stop growing at this value, before jitter is added; default: no limit. */
  readonly capMs?: number;
}

/**
 * Computes how long to wait before each retry; the caller does the waiting.
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

  /** How many delays were returned since the start or the last reset. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The delay before the next attempt. */
  nextMs(): number {
    const { factor, jitter, capMs } = this.#options;
    const baseMs = this.#baseMs;
    this.#attempts += 1;
    this.#baseMs = Math.min(baseMs * factor, capMs);
    return jitter === 0 ? baseMs : baseMs * (1 + jitter * this.#random.float());
  }

  /** Call after a success: the next delay is the first one again. */
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
