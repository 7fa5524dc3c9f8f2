import { createHash } from 'node:crypto';

/** So many tokens are remembered: two for each of 5,000 nodes and their pods' neighbours cost a few megabytes. */
const MAX_TOKENS = 10_000;

/** What was found out about tokens, by their digest: the tokens themselves are not kept. The least recently used go first. */
export class RecentTokens<T> {
  readonly #found = new Map<string, T>();

  get(token: string): T | undefined {
    const key = digestOf(token);
    const found = this.#found.get(key);
    if (found === undefined) return undefined;
    this.#found.delete(key);
    this.#found.set(key, found);
    return found;
  }

  set(token: string, value: T): void {
    const key = digestOf(token);
    this.#found.delete(key);
    this.#found.set(key, value);
    if (this.#found.size <= MAX_TOKENS) return;
    const [oldest] = this.#found.keys();
    if (oldest !== undefined) this.#found.delete(oldest);
  }

  delete(token: string): void {
    this.#found.delete(digestOf(token));
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
