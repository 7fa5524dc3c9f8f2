import { setMaxListeners } from 'node:events';

/**
 * A signal of one's own that also follows another one.
 *
 * Disposing lets go of the other signal, which may live as long as the process: `AbortSignal.any` would be remembered there.
 */
export class AbortScope implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#parent?.reason);

  constructor(parent?: AbortSignal) {
    this.#parent = parent;
    setMaxListeners(0, this.#controller.signal); // many requests may hang on one signal
    if (parent === undefined) return;
    if (parent.aborted) this.#follow();
    else listen(parent, this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#parent?.removeEventListener('abort', this.#follow);
  }
}

/** Calls `act` once when the signal aborts; disposing takes it back. */
export function onAbort(signal: AbortSignal, act: () => void): Disposable {
  listen(signal, act);
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', act) };
}

function listen(signal: AbortSignal, act: () => void): void {
  setMaxListeners(0, signal); // a caller's signal may be waited on by any number of requests
  signal.addEventListener('abort', act, { once: true });
}
