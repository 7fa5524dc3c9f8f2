import type { Correlation } from '../../api/index.ts';

/**
 * Where a rule is evaluated, with the old state of that place. A violation by an unchanged value is only a warning;
 * where the old state of a value is unknown, the nearest enclosing value whose old state is known decides.
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
    // Both objects have been converted to the same version, so a change of these two is invisible.
    if (this.#around === undefined && (name === 'apiVersion' || name === 'kind')) return Ratchet.NONE;
    return new Ratchet(this.#current.key(name), this.#current);
  }

  index(place: number): Ratchet {
    return this.#current === undefined ? this : new Ratchet(this.#current.index(place), this.#current);
  }
}
