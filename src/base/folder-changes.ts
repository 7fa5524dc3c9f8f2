import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from './clock.ts';

/** Waits for changes in a folder. Where the system has no watch to spare, and for changes that a watch misses, there is a longest wait. */
export class FolderChanges implements Disposable {
  readonly #clock: Clock;
  readonly #maxWaitMs: number;
  readonly #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #wait: AbortController | undefined;

  constructor(folder: string, { clock, maxWaitMs }: { readonly clock: Clock; readonly maxWaitMs: number }) {
    this.#clock = clock;
    this.#maxWaitMs = maxWaitMs;
    this.#watcher = tryToWatch(folder, () => {
      this.#hasChanged = true;
      this.#wait?.abort();
    });
  }

  /** Resolves when something has changed since the last call, after the longest wait, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#hasChanged) {
      const wait = new AbortController();
      const stop = (): void => wait.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#wait = wait;
      await this.#clock.sleep(this.#maxWaitMs, wait.signal);
      this.#wait = undefined;
      signal.removeEventListener('abort', stop);
    }
    this.#hasChanged = false;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }
}

function tryToWatch(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined; // the longest wait is enough
  }
}
