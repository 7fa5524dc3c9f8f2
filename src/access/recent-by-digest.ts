import { createHash } from 'node:crypto';

/**
 * What was found out about long or secret texts such as tokens, by their digest: the texts themselves are not kept. Of more than
 * so many, the least recently used goes first.
 */
export class RecentByDigest<T> {
  readonly #limit: number;
  readonly #found = new Map<string, T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(text: string): T | undefined {
    const key = digestOf(text);
    const found = this.#found.get(key);
    if (found === undefined) return undefined;
    this.#found.delete(key);
    this.#found.set(key, found);
    return found;
  }

  set(text: string, value: T): void {
    const key = digestOf(text);
    this.#found.delete(key);
    this.#found.set(key, value);
    if (this.#found.size <= this.#limit) return;
    const [oldest] = this.#found.keys();
    if (oldest !== undefined) this.#found.delete(oldest);
  }

  delete(text: string): void {
    this.#found.delete(digestOf(text));
  }
}

/** So many tokens are remembered: two for each of 5,000 nodes and their pods' neighbours cost a few megabytes. */
export const MAX_TOKENS = 10_000;

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
