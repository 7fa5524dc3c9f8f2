import type { LocalWebhook } from '../cluster/index.ts';
import type { LocalWebhooks } from '../kit/index.ts';

/** Webhooks in the test process, which the cluster's server calls without sockets; each has its own host name. */
export class InProcessWebhooks implements LocalWebhooks {
  readonly #handlers = new Map<string, LocalWebhook>();
  #count = 0;

  /** The same for a fork of the cluster: it keeps answering after the original has ended. */
  fork(): InProcessWebhooks {
    const fork = new InProcessWebhooks();
    for (const [host, answer] of this.#handlers) fork.#handlers.set(host, answer);
    fork.#count = this.#count;
    return fork;
  }

  serve(handler: LocalWebhook): Disposable & { readonly host: string } {
    this.#count += 1;
    const host = `webhooks-${this.#count}.in-process.invalid`;
    this.#handlers.set(host, handler);
    return { host, [Symbol.dispose]: () => void this.#handlers.delete(host) };
  }

  find(host: string): LocalWebhook | undefined {
    return this.#handlers.get(host);
  }
}
