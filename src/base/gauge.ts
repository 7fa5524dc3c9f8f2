import { formatLabels, formatNumber, type LabelPairs } from './metric-text.ts';

/** A figure that goes up and down, with one set of label values. */
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

  expose(name: string, labels: LabelPairs): string {
    return `${name}${formatLabels(labels)} ${formatNumber(this.#value)}\n`;
  }
}
