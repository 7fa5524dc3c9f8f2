import { Backoff, type Clock, type Logger, messageOf, type Random, type Runnable } from '../../base/index.ts';

/** Those of a kubelet. */
const BACKOFF = { initialMs: 500, capMs: 122_000 };

export interface UnstageRetriesParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Unstages volumes that no pod has; throws when one of them cannot be. */
  release(): Promise<void>;
}

/** Tries again, at growing intervals, to unstage volumes that a driver has refused to unstage: their pods are gone and do not wait for that. */
export class UnstageRetries implements Runnable {
  readonly #parts: UnstageRetriesParts;
  #backoff: Backoff | undefined;
  #wake: () => void = () => undefined;

  constructor(parts: UnstageRetriesParts) {
    this.#parts = parts;
  }

  /** A volume could not be unstaged; the next try comes soon, however long ago others failed. */
  failed(error: unknown): void {
    this.#parts.log.warn('volume is not unstaged', { error: messageOf(error) });
    this.#backoff = new Backoff(BACKOFF, this.#parts.random);
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, release } = this.#parts;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const backoff = this.#backoff;
      if (backoff === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      await clock.sleep(backoff.nextMs(), signal);
      if (signal.aborted) return;
      if (this.#backoff === backoff) this.#backoff = undefined;
      try {
        await release();
      } catch (error) {
        if (signal.aborted) return;
        log.warn('volume is not unstaged', { error: messageOf(error) });
        this.#backoff ??= backoff;
      }
    }
  }
}
