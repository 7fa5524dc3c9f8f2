import type { HttpClient } from '../wire/http/index.ts';

/** When there are more, the least recently used client is closed. */
const MAX_CLIENTS = 1000;

/** HTTP clients by the name of the server they connect to, kept open for the next request. */
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
