const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 15 * 60_000;
/** Without a failure for this time, the back-off is reset. */
const FORGOTTEN_AFTER_MS = 2 * MAX_DELAY_MS;
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly sinceMs: number;
  readonly delayMs: number;
}

/**
 * Back-off for deleting failed pods of a node, doubling with each failure, for nodes that reject pods as fast as they
 * are created. Bounded: when full, the oldest entry is dropped, and its back-off starts again.
 */
export class FailedPodBackoff {
  readonly #entries = new Map<string, Entry>();

  /**
   * Undefined when the pod may be deleted now, which doubles the delay for the next one; otherwise the time to wait.
   */
  delayMs(key: string, nowMs: number): number | undefined {
    const known = this.#entries.get(key);
    const last = known !== undefined && nowMs - known.sinceMs <= FORGOTTEN_AFTER_MS ? known : undefined;
    if (last !== undefined && nowMs - last.sinceMs < last.delayMs) return last.delayMs;
    const delayMs = last === undefined ? FIRST_DELAY_MS : Math.min(2 * last.delayMs, MAX_DELAY_MS);
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
