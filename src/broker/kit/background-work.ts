import { AbortScope, type Logger, messageOf } from '../../base/index.ts';

/** Work in the background: one piece for each key at a time. */
export class BackgroundWork implements AsyncDisposable {
  readonly #log: Logger;
  readonly #tasks = new Map<string, { readonly scope: AbortScope; readonly done: Promise<void> }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Begins work; what it throws is logged. A piece that the key still has is given up first. */
  start(key: string, work: (signal: AbortSignal) => Promise<void>): void {
    const before = this.#tasks.get(key);
    before?.scope.abort(new Error('the work was given up for other work'));
    const scope = new AbortScope();
    const done = this.#after(before?.done, () => work(scope.signal), key).then(() => {
      if (this.#tasks.get(key)?.scope === scope) this.#tasks.delete(key);
    });
    this.#tasks.set(key, { scope, done });
  }

  /** Aborts a piece of work and waits until it has ended. */
  async giveUp(key: string): Promise<void> {
    const task = this.#tasks.get(key);
    task?.scope.abort(new Error('the work was given up'));
    await task?.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#tasks.keys()].map((key) => this.giveUp(key)));
  }

  async #after(before: Promise<void> | undefined, work: () => Promise<void>, key: string): Promise<void> {
    await before;
    try {
      await work();
    } catch (error) {
      this.#log.error('work in the background has failed', { work: key, error: messageOf(error) });
    }
  }
}
