import { aborted, AbortScope, isAnswerTo, type Runnable } from './tasks.ts';

/** Tasks that run until the signal aborts; more can be added meanwhile. The first failure stops all. */
export class TaskGroup {
  readonly #scope: AbortScope;
  readonly #tasks = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(signal: AbortSignal) {
    this.#scope = new AbortScope(signal);
  }

  start(task: Runnable): void {
    const { signal } = this.#scope;
    const run = task.run(signal).catch((error: unknown) => {
      if (isAnswerTo(signal, error)) return;
      this.#failures.push(error);
      this.#scope.abort(error);
    });
    this.#tasks.add(run);
    void run.finally(() => this.#tasks.delete(run));
  }

  /** Resolves when the signal has aborted and all tasks have ended; rejects with the first failure. */
  async over(): Promise<void> {
    await aborted(this.#scope.signal);
    await Promise.all(this.#tasks);
    this.#scope[Symbol.dispose]();
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
