/** The pods whose PreBind plugins are at work. Others can end that, up to the moment at which the pod is bound. */
export class PreBindingPods {
  readonly #cancel = new Map<string, (reason: Error) => void>();

  /** Ends the work for a pod, which is tried again later; false when it is not there, or not any more. */
  cancel(uid: string, why: string): boolean {
    this.#cancel.get(uid)?.(new Error(why));
    return this.#cancel.has(uid);
  }

  /** Lets others cancel the work until the result is disposed. */
  enter(uid: string, cancel: (reason: Error) => void): Disposable {
    this.#cancel.set(uid, cancel);
    return { [Symbol.dispose]: () => void this.#cancel.delete(uid) };
  }
}
