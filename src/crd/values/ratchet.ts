import type { Correlation } from '../../api/index.ts';

/**
 * Where a rule is evaluated, beside what was there before. What a rule says of a value that has not changed is only told
 * as a warning; where it is not known what a value was, the nearest value around it counts of which it is.
 */
export class Ratchet {
  static readonly NONE = new Ratchet(undefined, undefined);

  readonly #current: Correlation | undefined;
  readonly #around: Correlation | undefined;

  constructor(current: Correlation | undefined, around: Correlation | undefined) {
    this.#current = current;
    this.#around = around;
  }

  get isUnchanged(): boolean {
    return (this.#current ?? this.#around)?.isUnchanged === true;
  }

  key(name: string): Ratchet {
    if (this.#current === undefined) return this;
    // Both objects have been converted to the same version, so that a change of these two cannot be seen.
    if (this.#around === undefined && (name === 'apiVersion' || name === 'kind')) return Ratchet.NONE;
    return new Ratchet(this.#current.key(name), this.#current);
  }

  index(place: number): Ratchet {
    return this.#current === undefined ? this : new Ratchet(this.#current.index(place), this.#current);
  }
}
