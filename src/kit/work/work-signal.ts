import type { Clock } from '../../base/index.ts';
import { LeadershipLostError } from '../election/leadership-lost.ts';

/**
 * The signal for work in progress: it aborts a grace period after the signal that stops new work, so that work may finish;
 * it aborts at once when this process loses the lead, because another leads then.
 */
export class WorkSignal implements Disposable {
  readonly #stop: AbortSignal;
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #controller = new AbortController();
  #timer: Disposable | undefined;

  constructor(stop: AbortSignal, options: { readonly clock: Clock; readonly graceMs: number }) {
    this.#stop = stop;
    this.#clock = options.clock;
    this.#graceMs = options.graceMs;
    if (stop.aborted) this.#onStop();
    else stop.addEventListener('abort', this.#onStop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#stop.removeEventListener('abort', this.#onStop);
    this.#timer?.[Symbol.dispose]();
  }

  readonly #onStop = (): void => {
    const { reason } = this.#stop as { readonly reason: unknown };
    if (this.#graceMs === 0 || reason instanceof LeadershipLostError) this.#controller.abort(reason);
    else this.#timer = this.#clock.timer(this.#graceMs, () => this.#controller.abort(reason));
  };
}
