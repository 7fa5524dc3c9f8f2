import type { Clock } from '../../base/index.ts';
import { LeadershipLostError } from '../election/leadership-lost.ts';

/**
 * The signal for work that is under way: it aborts some time after the one that says that no more is to be begun, so that
 * work may finish; at once when we no longer lead, for then another does.
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
