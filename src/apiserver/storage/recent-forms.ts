export interface RecentFormsOptions<T> {
  readonly maxCount: number;
  /** The limit for the objects' stored bytes. */
  readonly maxBytes: number;
  /** Removes the forms of an object, which calls `remade` when one is made again. */
  readonly forget: (stored: T, remade: (stored: T) => void) => void;
}

/** A node of the linked list of cached objects. */
interface Link<T> {
  readonly stored: T;
  older: Link<T> | undefined;
  newer: Link<T> | undefined;
}

/**
 * A least-recently-used cache of objects' forms (parsed objects, encodings), which are many times as large as the stored bytes. When it is
 * full, the least recently used objects forget their forms. The newest always stays.
 */
export class RecentForms<T extends { readonly bytes: number }> {
  readonly #options: RecentFormsOptions<T>;
  readonly #links = new Map<T, Link<T>>();
  #oldest: Link<T> | undefined;
  #newest: Link<T> | undefined;
  #bytes = 0;

  constructor(options: RecentFormsOptions<T>) {
    this.#options = options;
  }

  readonly add = (stored: T): void => {
    const { maxCount, maxBytes } = this.#options;
    this.remove(stored);
    const link: Link<T> = { stored, older: this.#newest, newer: undefined };
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
    this.#links.set(stored, link);
    this.#bytes += stored.bytes;
    while (this.#links.size > 1 && (this.#links.size >= maxCount || this.#bytes > maxBytes)) this.#forgetOldest();
  };

  /** Stops deciding about this object. */
  remove(stored: T): void {
    const link = this.#links.get(stored);
    if (link === undefined) return;
    const { older, newer } = link;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    this.#links.delete(stored);
    this.#bytes -= stored.bytes;
  }

  /** Removes all objects without forgetting their forms, which others may share. */
  clear(): void {
    this.#links.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#bytes = 0;
  }

  #forgetOldest(): void {
    const stored = this.#oldest?.stored;
    if (stored === undefined) return;
    this.remove(stored);
    this.#options.forget(stored, this.add);
  }
}
