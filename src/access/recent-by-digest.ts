import { createHash } from 'node:crypto';

/**
 * A cache for results about long or secret texts such as tokens, keyed by their digest: the texts themselves are not kept. When it is full,
 * the least recently used entry is removed.
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

/** Max number of cached tokens. Two for each node of a cluster of 5,000 take a few megabytes. */
export const MAX_TOKENS = 10_000;

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
