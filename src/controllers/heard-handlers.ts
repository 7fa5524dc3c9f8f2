import type { HandlerRegistration, KubernetesObject } from '../client/index.ts';

type Registration = Pick<HandlerRegistration<KubernetesObject>, 'pending' | 'synced'> & Disposable;

/** The handlers of a part that runs. Disposing removes them. */
export class HeardHandlers implements Disposable {
  readonly #registrations: Registration[] = [];

  add(registration: Registration): void {
    this.#registrations.push(registration);
  }

  /** Whether they have been told all that was heard. */
  get isIdle(): boolean {
    return this.#registrations.every(({ pending }) => pending === 0);
  }

  /** Resolves when they have been told of all that was there before; at once when the signal aborts. */
  async synced(signal: AbortSignal): Promise<void> {
    const all = Promise.all(this.#registrations.map((registration) => registration.synced(signal)));
    await all.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  [Symbol.dispose](): void {
    for (const registration of this.#registrations.splice(0)) registration[Symbol.dispose]();
  }
}
