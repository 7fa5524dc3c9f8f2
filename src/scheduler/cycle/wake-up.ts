/** Lets one loop sleep until there is work. */
export class WakeUp {
  #isCalled = false;
  #wake: (() => void) | undefined;

  /** Wakes the loop; if it is awake, the next `sleep` returns at once. */
  call(): void {
    this.#isCalled = true;
    this.#wake?.();
  }

  /** Resolves after the next call, or when the signal aborts. */
  async sleep(signal: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal.aborted) await this.#asleep(signal);
    this.#isCalled = false;
  }

  async #asleep(signal: AbortSignal): Promise<void> {
    let wake: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (wake = resolve));
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    await called;
    signal.removeEventListener('abort', wake);
    this.#wake = undefined;
  }
}
