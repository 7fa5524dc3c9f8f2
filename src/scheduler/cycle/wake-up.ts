/** Lets one loop sleep until somebody has work for it. */
export class WakeUp {
  #isCalled = false;
  #wake: (() => void) | undefined;

  /** Wakes the sleeper, or keeps it from falling asleep the next time. */
  call(): void {
    this.#isCalled = true;
    this.#wake?.();
  }

  /** Resolves after the next call, or when the signal aborts. */
  async sleep(signal: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      this.#wake = undefined;
    }
    this.#isCalled = false;
  }
}
