/** The overhead of an entry (RFC 7541, 4.1). */
const ENTRY_BYTES = 32;

/** Dropped entries are removed from the arrays when there are this many. */
const DROPPED_ENTRIES = 64;

/**
 * The last headers of a connection, newest first (RFC 7541, 2.3.2).
 *
 * Guarantees: their size never exceeds the limit.
 */
export class HeaderTable {
  #limit: number;
  #size = 0;
  /** Oldest first; those before `#first` are dropped. */
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #first = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  get length(): number {
    return this.#names.length - this.#first;
  }

  /** Index 0 is the newest. */
  name(index: number): string {
    return this.#names[this.#names.length - 1 - index] as string;
  }

  value(index: number): string {
    return this.#values[this.#values.length - 1 - index] as string;
  }

  /** The index of the header; -1 when it is absent. */
  find(name: string, value: string): number {
    const names = this.#names;
    for (let at = names.length - 1; at >= this.#first; at--) {
      if (names[at] === name && this.#values[at] === value) return names.length - 1 - at;
    }
    return -1;
  }

  findName(name: string): number {
    const at = this.#names.lastIndexOf(name);
    return at < this.#first ? -1 : this.#names.length - 1 - at;
  }

  /** An entry above the limit empties the table. */
  add(name: string, value: string): void {
    this.#names.push(name);
    this.#values.push(value);
    this.#size += sizeOf(name, value);
    this.#shrink();
  }

  resize(limit: number): void {
    this.#limit = limit;
    this.#shrink();
  }

  #shrink(): void {
    while (this.#size > this.#limit) {
      this.#size -= sizeOf(this.#names[this.#first] as string, this.#values[this.#first] as string);
      this.#names[this.#first] = '';
      this.#values[this.#first] = '';
      this.#first += 1;
    }
    if (this.#first < DROPPED_ENTRIES) return;
    this.#names.splice(0, this.#first);
    this.#values.splice(0, this.#first);
    this.#first = 0;
  }
}

function sizeOf(name: string, value: string): number {
  return name.length + value.length + ENTRY_BYTES;
}
