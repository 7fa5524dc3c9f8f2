export interface RecentFormsOptions<T> {
  readonly maxCount: number;
  /** Of objects as they are stored. */
  readonly maxBytes: number;
  /** Lets go of what was made of an object, which tells `remade` when some of it is made again. */
  readonly forget: (stored: T, remade: (stored: T) => void) => void;
}

/**
 * What was made of the bytes of objects (parsed objects, encodings) is many times as large as they are. This lets go of it
 * when so many others have been made, or looked at, since. The newest always stays.
 */
export class RecentForms<T extends { readonly bytes: number }> {
  readonly #options: RecentFormsOptions<T>;
  /** A ring. */
  readonly #kept: (T | undefined)[] = [];
  #oldest = 0;
  #size = 0;
  #bytes = 0;

  constructor(options: RecentFormsOptions<T>) {
    this.#options = options;
  }

  readonly add = (stored: T): void => {
    const { maxCount, maxBytes } = this.#options;
    this.#kept[(this.#oldest + this.#size) % maxCount] = stored;
    this.#size += 1;
    this.#bytes += stored.bytes;
    while (this.#size > 1 && (this.#size === maxCount || this.#bytes > maxBytes)) this.#forgetOldest();
  };

  #forgetOldest(): void {
    const oldest = this.#kept[this.#oldest];
    this.#kept[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % this.#options.maxCount;
    this.#size -= 1;
    if (oldest === undefined) return;
    this.#bytes -= oldest.bytes;
    this.#options.forget(oldest, this.add);
  }
}
