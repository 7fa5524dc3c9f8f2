import { setMaxListeners } from 'node:events';

/**
 * Long-running work. `run` resolves once the signal has stopped it (or when it is done), leaves nothing behind, and rejects
 * only on a failure.
 */
export interface Runnable {
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs all tasks until each has stopped.
 *
 * When `signal` aborts or a task fails, all tasks are stopped; once they have ended, the first error is thrown. A task that
 * reacts to the abort by rejecting with its reason counts as stopped, not as failed.
 */
export async function runTogether(tasks: readonly Runnable[], signal: AbortSignal): Promise<void> {
  const scope = new AbortController();
  const failures: unknown[] = [];
  const stopAll = (): void => scope.abort(signal.reason);
  if (signal.aborted) stopAll();
  else signal.addEventListener('abort', stopAll, { once: true });
  const runOne = async (task: Runnable): Promise<void> => {
    try {
      await task.run(scope.signal);
    } catch (error) {
      if (isAnswerTo(scope.signal, error)) return;
      failures.push(error);
      scope.abort(error);
    }
  };
  await Promise.all(tasks.map(runOne));
  signal.removeEventListener('abort', stopAll);
  if (failures.length > 0) throw failures[0];
}

/** Resolves when the signal aborts; at once if it already has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Node's functions reject either with the reason itself or with an AbortError that has it as its cause. */
export function isAnswerTo(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) return false;
  return (
    error === signal.reason || (error instanceof Error && error.name === 'AbortError' && error.cause === signal.reason)
  );
}

/**
 * An abort controller whose signal also follows another signal.
 *
 * Disposing removes its listener from the other signal, which may live as long as the process: with `AbortSignal.any` the
 * listener would stay.
 */
export class AbortScope implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#parent?.reason);

  constructor(parent?: AbortSignal) {
    this.#parent = parent;
    setMaxListeners(0, this.#controller.signal); // many requests may listen on one signal
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

/** Calls `act` once when the signal aborts; disposing removes the listener. */
export function onAbort(signal: AbortSignal, act: () => void): Disposable {
  listen(signal, act);
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', act) };
}

function listen(signal: AbortSignal, act: () => void): void {
  setMaxListeners(0, signal); // any number of requests may listen on a caller's signal
  signal.addEventListener('abort', act, { once: true });
}
