import type { LocalWebhook } from '../cluster/index.ts';
import type { LocalWebhooks } from '../kit/index.ts';

/** Webhooks of the test process, which the cluster's server calls without sockets: each under a host name of its own. */
export class InProcessWebhooks implements LocalWebhooks {
  readonly #handlers = new Map<string, LocalWebhook>();
  #count = 0;

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
