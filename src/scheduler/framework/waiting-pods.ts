import type { StepOptions } from './plugin.ts';
import type { Rejection } from './rejection.ts';

type Answer = Promise<Rejection | undefined>;

/** The pods that have a node and wait for the permission of plugins, or for PreBind. Others can end such a wait. */
export class WaitingPods {
  readonly #reject = new Map<string, (rejection: Rejection) => void>();
  readonly #preBinding = new Map<string, AbortController>();

  /** Ends the wait of a pod; false when it does not wait. */
  reject(uid: string, rejection: Rejection): boolean {
    this.#reject.get(uid)?.(rejection);
    return this.#reject.has(uid);
  }

  /** Ends PreBind of a pod, which fails with the reason then; false when it is not at that. */
  cancelPreBind(uid: string, reason: string): boolean {
    this.#preBinding.get(uid)?.abort(new Error(reason));
    return this.#preBinding.has(uid);
  }

  /** Runs PreBind of a pod so that it can be cancelled, until it is through. */
  async preBind(uid: string, { signal }: StepOptions, run: (options: StepOptions) => Promise<void>): Promise<void> {
    const cancel = new AbortController();
    this.#preBinding.set(uid, cancel);
    try {
      await run({ signal: AbortSignal.any([signal, cancel.signal]) });
    } finally {
      this.#preBinding.delete(uid);
    }
    cancel.signal.throwIfAborted();
  }

  /**
   * Resolves with the first rejection, of a plugin or from elsewhere, or when all plugins have agreed. Fails when one of them
   * does, or when the signal aborts.
   */
  async wait(uid: string, answers: readonly Answer[], { signal }: StepOptions): Answer {
    if (answers.length === 0) return undefined;
    const elsewhere = new Promise<Rejection>((resolve, reject) => {
      this.#reject.set(uid, resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    const agreed = Promise.all(answers).then(() => undefined);
    agreed.catch(() => undefined); // what fails here fails the race below as well
    const rejected = answers.map((answer) => answer.then((rejection) => rejection ?? agreed));
    try {
      return await Promise.race([elsewhere, ...rejected]);
    } finally {
      this.#reject.delete(uid);
    }
  }
}
