/**
 * A path such as `self.list.@items` that shares its memory with the paths it was made from, as slices in Go do.
 *
 * Kubernetes' estimates depend on it: two paths that extend the same one may overwrite each other's last part, and then
 * the size of another field is taken. Estimates decide which rules are accepted, so they have to agree.
 */
export class AliasedPath {
  readonly length: number;
  readonly #items: string[];
  readonly #capacity: number;

  private constructor(items: string[], length: number, capacity: number) {
    this.#items = items;
    this.length = length;
    this.#capacity = capacity;
  }

  static readonly EMPTY = new AliasedPath([], 0, 0);

  static of(name: string): AliasedPath {
    return new AliasedPath([name], 1, 1);
  }

  append(name: string): AliasedPath {
    const hasRoom = this.length < this.#capacity;
    const items = hasRoom ? this.#items : this.#items.slice(0, this.length);
    items[this.length] = name;
    return new AliasedPath(items, this.length + 1, hasRoom ? this.#capacity : Math.max(1, this.#capacity * 2));
  }

  /** The names as they are now. */
  names(): readonly string[] {
    return this.#items.slice(0, this.length);
  }
}
