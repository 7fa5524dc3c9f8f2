import type { StepOptions } from './plugin.ts';
import type { Rejection } from './rejection.ts';

type Answer = Promise<Rejection | undefined>;

/** The pods that have a node and wait for the permission of plugins. Others can end such a wait. */
export class WaitingPods {
  readonly #reject = new Map<string, (rejection: Rejection) => void>();

  /** Ends the wait of a pod; false when it does not wait. */
  reject(uid: string, rejection: Rejection): boolean {
    this.#reject.get(uid)?.(rejection);
    return this.#reject.has(uid);
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
