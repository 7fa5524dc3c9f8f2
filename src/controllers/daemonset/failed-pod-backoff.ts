const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** After so long without a failure the next one is the first again. */
const FORGOTTEN_AFTER_MS = 2 * LONGEST_DELAY_MS;
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly sinceMs: number;
  readonly delayMs: number;
}

/**
 * How long a failed pod is left alone before it is deleted: where nodes refuse pods as fast as they are made, each next one
 * stays twice as long. The rule for "full": what is remembered longest is forgotten, and begins anew.
 */
export class FailedPodBackoff {
  readonly #entries = new Map<string, Entry>();

  /** Undefined when a pod may be deleted now, and the next one waits; otherwise how long to wait. */
  delayMs(key: string, nowMs: number): number | undefined {
    const known = this.#entries.get(key);
    const last = known !== undefined && nowMs - known.sinceMs <= FORGOTTEN_AFTER_MS ? known : undefined;
    if (last !== undefined && nowMs - last.sinceMs < last.delayMs) return last.delayMs;
    const delayMs = last === undefined ? FIRST_DELAY_MS : Math.min(2 * last.delayMs, LONGEST_DELAY_MS);
    this.#entries.delete(key);
    this.#entries.set(key, { sinceMs: nowMs, delayMs });
    this.#forgetOld(nowMs);
    return undefined;
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { sinceMs }] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && nowMs - sinceMs <= FORGOTTEN_AFTER_MS) return;
      this.#entries.delete(key);
    }
  }
}
