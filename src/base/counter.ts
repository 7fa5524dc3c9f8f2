import type { ChildSample } from './metric-text.ts';

/** A number that only grows, with one set of label values. */
export class Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  /** Adds 1, or `amount`; rejects negative amounts and NaN. */
  add(amount = 1): void {
    if (!(amount >= 0)) throw new RangeError(`Cannot add ${amount} to a counter: it only grows`);
    this.#value += amount;
  }

  samples(): readonly ChildSample[] {
    return [{ suffix: '', value: this.#value }];
  }
}

/** A number that goes up and down, with one set of label values. */
export class Gauge {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    this.#value = value;
  }

  /** Adds 1, or `amount`, which may be negative. */
  add(amount = 1): void {
    this.#value += amount;
  }

  samples(): readonly ChildSample[] {
    return [{ suffix: '', value: this.#value }];
  }
}
