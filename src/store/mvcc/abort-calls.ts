/**
 * Runs callbacks when signals abort, with one listener per signal however many callbacks there are.
 *
 * Watches share the signal of the component that runs them, and Node reports more than ten listeners on one signal as a
 * leak.
 */
export class AbortCalls {
  readonly #bySignal = new Map<AbortSignal, { readonly calls: Set<() => void>; readonly listener: () => void }>();

  /** Returns a function that withdraws the call. Assumes that the signal has not aborted yet. */
  add(signal: AbortSignal, call: () => void): () => void {
    const known = this.#bySignal.get(signal);
    const group = known ?? this.#listen(signal);
    group.calls.add(call);
    return () => {
      group.calls.delete(call);
      if (group.calls.size > 0 || this.#bySignal.get(signal) !== group) return;
      signal.removeEventListener('abort', group.listener);
      this.#bySignal.delete(signal);
    };
  }

  #listen(signal: AbortSignal): { readonly calls: Set<() => void>; readonly listener: () => void } {
    const calls = new Set<() => void>();
    const listener = (): void => {
      this.#bySignal.delete(signal);
      for (const call of calls) call();
    };
    signal.addEventListener('abort', listener, { once: true });
    const group = { calls, listener };
    this.#bySignal.set(signal, group);
    return group;
  }
}
