import type { Clock } from '../../base/index.ts';

interface Kept<T> {
  readonly decision: Promise<T>;
  endsMs: number;
}

const MAX_DECISIONS = 4096;

/** Caches decisions for a while. Concurrent questions about the same thing share one request; failures are not cached. */
export class DecisionCache<T> {
  readonly #clock: Clock;
  readonly #ttlMs: (decision: T) => number;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Clock, ttlMs: (decision: T) => number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  get(key: string, decide: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known !== undefined && this.#clock.now() < known.endsMs) return known.decision;
    const decision = decide();
    const kept: Kept<T> = { decision, endsMs: Infinity };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    decision.then(
      (decided) => void (kept.endsMs = this.#clock.now() + this.#ttlMs(decided)),
      () => void (this.#kept.get(key) === kept && this.#kept.delete(key)),
    );
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_DECISIONS) break;
      this.#kept.delete(oldest);
    }
    return decision;
  }
}
