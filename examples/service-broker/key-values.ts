import { createServer, type Server } from 'node:http';

/** A store of texts by key for each instance, and a token for each binding. */
export class KeyValues {
  readonly #stores = new Map<string, { readonly values: Map<string, string>; maxKeys: number }>();
  readonly #tokens = new Map<string, { readonly store: string; readonly canWrite: boolean }>();

  readonly #newSecret: () => string;

  constructor(newSecret: () => string) {
    this.#newSecret = newSecret;
  }

  open(id: string, maxKeys: number): void {
    const { values = new Map<string, string>() } = this.#stores.get(id) ?? {};
    this.#stores.set(id, { values, maxKeys });
  }

  close(id: string): void {
    this.#stores.delete(id);
  }

  letIn(store: string, binding: string, canWrite: boolean): string {
    this.lockOut(binding);
    const token = `${binding}.${this.#newSecret()}`;
    this.#tokens.set(token, { store, canWrite });
    return token;
  }

  lockOut(binding: string): void {
    for (const token of this.#tokens.keys()) if (token.startsWith(`${binding}.`)) this.#tokens.delete(token);
  }

  /** `GET /KEY` and `PUT /KEY`, with the token of a binding. */
  serve(): Server {
    return createServer((request, response) => {
      const { store = '', canWrite = false } = this.#tokens.get(request.headers.authorization?.slice(7) ?? '') ?? {};
      const { values, maxKeys = 0 } = this.#stores.get(store) ?? {};
      const key = request.url ?? '';
      if (values === undefined) response.writeHead(401).end();
      else if (request.method !== 'PUT') response.writeHead(values.has(key) ? 200 : 404).end(values.get(key));
      else if (!canWrite || (values.size >= maxKeys && !values.has(key))) response.writeHead(403).end();
      else
        request.setEncoding('utf8').once('data', (text: string) => {
          values.set(key, text);
          response.writeHead(204).end();
        });
    });
  }
}
