import { onAbort } from '../../base/index.ts';

/** Something that will be so once, and stays so: waiting for it ends when it is opened. */
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

  /** Resolves when it is open; rejects with the signal's reason when that aborts first. */
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
