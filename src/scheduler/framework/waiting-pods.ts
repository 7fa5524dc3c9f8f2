import { onAbort } from '../../base/index.ts';
import type { StepOptions } from './plugin.ts';
import type { Rejection } from './rejection.ts';

type Answer = Promise<Rejection | undefined>;

interface Wait {
  reject(rejection: Rejection): void;
  fail(error: Error): void;
}

/** The pods that have a node and wait for Permit plugins. Preemption and deletion can end such a wait. */
export class WaitingPods {
  readonly #waits = new Map<string, Wait>();

  /** Ends the wait of a pod, which then counts as unschedulable; false when it does not wait. */
  reject(uid: string, rejection: Rejection): boolean {
    this.#waits.get(uid)?.reject(rejection);
    return this.#waits.delete(uid);
  }

  /** Ends the wait of a pod, which is tried again after its back-off; false when it does not wait. */
  preempt(uid: string): boolean {
    this.#waits.get(uid)?.fail(new Error('waiting on permit for pod: preempted'));
    return this.#waits.delete(uid);
  }

  /**
   * Resolves with the first rejection, or when all plugins have permitted the pod. Rejects when a plugin fails, when
   * the pod is preempted, or when the signal aborts.
   */
  async wait(uid: string, answers: readonly Answer[], { signal }: StepOptions): Answer {
    let wait: Wait | undefined;
    const elsewhere = new Promise<Rejection>((resolve, reject) => (wait = { reject: resolve, fail: reject }));
    if (wait !== undefined) this.#waits.set(uid, wait);
    using _ = onAbort(signal, () => wait?.fail(signal.reason as Error));
    const agreed = Promise.all(answers).then(() => undefined);
    agreed.catch(() => undefined); // a failure here also fails the race below
    const rejected = answers.map((answer) => answer.then((rejection) => rejection ?? agreed));
    try {
      return await Promise.race([elsewhere, ...rejected]);
    } finally {
      if (this.#waits.get(uid) === wait) this.#waits.delete(uid);
    }
  }
}
