import type { ChildSample } from './metric-text.ts';

/** How many observed values fell into each bucket, with one set of label values. */
export class Histogram {
  /** Upper bounds, ascending; the last bucket, +Inf, is not in the list. */
  readonly #bounds: Float64Array;
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** `bounds` may be shared between histograms; see `checkBounds`. */
  constructor(bounds: Float64Array) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#count;
  }

  observe(value: number): void {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bounds[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    this.#counts[low] = (this.#counts[low] as number) + 1;
    this.#sum += value;
    this.#count += 1;
  }

  samples(): readonly ChildSample[] {
    const samples: ChildSample[] = [];
    let cumulative = 0;
    for (let index = 0; index < this.#counts.length; index++) {
      cumulative += this.#counts[index] as number;
      samples.push({ suffix: '_bucket', bound: this.#bounds[index] ?? Infinity, value: cumulative });
    }
    samples.push({ suffix: '_sum', value: this.#sum }, { suffix: '_count', value: this.#count });
    return samples;
  }
}

/** Checks bucket bounds for `Histogram`: throws unless they are finite and ascending. */
export function checkBounds(name: string, bounds: readonly number[]): Float64Array {
  const isSound = bounds.every(
    (bound, index) => Number.isFinite(bound) && (index === 0 || bound > (bounds[index - 1] as number)),
  );
  if (!isSound)
    throw new RangeError(
      `Cannot make histogram "${name}": buckets must ascend and be finite, got ${bounds.join(', ')}`,
    );
  return Float64Array.from(bounds);
}

/** Bounds for latencies in seconds, 5 ms to 10 s: the defaults of Prometheus' client libraries. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `count` bounds, the first `start` and each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds: number[] = [];
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}
