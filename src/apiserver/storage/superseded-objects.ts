/** A past revision that can let go of what was made of its bytes, and tells when some of it is made again. */
interface Forgetful {
  readonly bytes: number;
  forget(remade: (stored: Forgetful) => void): void;
}

/** Watches this far behind find the forms of older revisions ready made; those further behind have them made again. */
const MAX_KEPT = 256;
/** The same in bytes as stored. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Past revisions stay in the store's history for minutes. Their bytes do; what was made of them (parsed objects, encodings) is
 * many times as large, and is let go when so many newer revisions have been superseded, or looked at.
 */
export class SupersededObjects {
  /** A ring. */
  readonly #kept: (Forgetful | undefined)[] = [];
  readonly #add = (stored: Forgetful): void => this.add(stored);
  #oldest = 0;
  #size = 0;
  #bytes = 0;

  add(stored: Forgetful): void {
    this.#kept[(this.#oldest + this.#size) % MAX_KEPT] = stored;
    this.#size += 1;
    this.#bytes += stored.bytes;
    while (this.#size > 1 && (this.#size === MAX_KEPT || this.#bytes > MAX_KEPT_BYTES)) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#kept[this.#oldest];
    this.#kept[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % MAX_KEPT;
    this.#size -= 1;
    this.#bytes -= oldest?.bytes ?? 0;
    oldest?.forget(this.#add);
  }
}
