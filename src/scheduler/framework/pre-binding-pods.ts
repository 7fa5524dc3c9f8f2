/** The pods whose PreBind plugins are running. Preemption can cancel that until the pod is bound. */
export class PreBindingPods {
  readonly #cancel = new Map<string, (reason: Error) => void>();

  /** Cancels PreBind of a pod, which is tried again later; false when the pod is not (or no longer) in PreBind. */
  cancel(uid: string, why: string): boolean {
    this.#cancel.get(uid)?.(new Error(why));
    return this.#cancel.has(uid);
  }

  /** Makes the pod cancellable until the result is disposed. */
  enter(uid: string, cancel: (reason: Error) => void): Disposable {
    this.#cancel.set(uid, cancel);
    return { [Symbol.dispose]: () => void this.#cancel.delete(uid) };
  }
}
