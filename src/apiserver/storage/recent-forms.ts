export interface RecentFormsOptions<T> {
  readonly maxCount: number;
  /** Of objects as they are stored. */
  readonly maxBytes: number;
  /** Lets go of what was made of an object, which tells `remade` when some of it is made again. */
  readonly forget: (stored: T, remade: (stored: T) => void) => void;
}

/** A link in the chain of those that are kept. */
interface Link<T> {
  readonly stored: T;
  older: Link<T> | undefined;
  newer: Link<T> | undefined;
}

/**
 * What was made of the bytes of objects (parsed objects, encodings) is many times as large as they are. This lets go of it
 * when so many others have been made, or looked at, since. The newest always stays.
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

  /** Somebody else decides about this one from now on. */
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

  /** Lets go of all objects, and of nothing that was made of them: others may share them. */
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
