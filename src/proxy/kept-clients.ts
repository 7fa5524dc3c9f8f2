import type { HttpClient } from '../wire/http/index.ts';

/** Those that were not asked for the longest are let go first. */
const MAX_CLIENTS = 1000;

/** Connections by the name of the server they go to, kept for the next request. */
export class KeptClients implements Disposable {
  readonly #clients = new Map<string, HttpClient>();

  get(name: string, make: () => HttpClient): HttpClient {
    const client = this.#clients.get(name) ?? make();
    this.#clients.delete(name);
    this.#clients.set(name, client);
    const [oldest] = this.#clients;
    if (oldest !== undefined && this.#clients.size > MAX_CLIENTS) {
      this.#clients.delete(oldest[0]);
      oldest[1].drain();
    }
    return client;
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
  }
}
