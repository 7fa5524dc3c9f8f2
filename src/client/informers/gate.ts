import { onAbort } from '../../base/index.ts';

/** A latch: once opened it stays open, and everything that waits for it continues. */
export class Gate {
  #isOpen = false;
  readonly #waiting = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when the gate is open; rejects with the signal's reason if the signal aborts first. */
  opened(signal?: AbortSignal): Promise<void> {
    if (this.#isOpen) return Promise.resolve();
    if (signal === undefined) return new Promise((resolve) => void this.#waiting.add(resolve));
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        aborting[Symbol.dispose]();
        resolve();
      };
      const aborting = onAbort(signal, () => {
        this.#waiting.delete(wake);
        reject(signal.reason as Error);
      });
      this.#waiting.add(wake);
    });
  }
}
