import { Histogram } from '../base/index.ts';
import type { Family, Sample } from './backend/metric-family.ts';

/** Labels of more series than this are dropped: labels come from what pods and runtimes say. */
const MAX_SERIES = 500;

/** The bounds that Prometheus has by default, in seconds. */
export const DEFAULT_BOUNDS: Float64Array = Float64Array.of(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10);

type Labels = Readonly<Record<string, string>>;

/** Durations, or other amounts, by labels: one metric with a histogram for each set of labels. */
export class Timings {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: Float64Array;
  readonly #series = new Map<string, { readonly labels: Labels; readonly histogram: Histogram }>();

  constructor(name: string, help: string, bounds: Float64Array = DEFAULT_BOUNDS) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(value: number, labels: Labels = {}): void {
    const key = JSON.stringify(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= MAX_SERIES) return;
      series = { labels, histogram: new Histogram(this.#bounds) };
      this.#series.set(key, series);
    }
    series.histogram.observe(value);
  }

  family(): Family {
    const samples = [...this.#series.values()].flatMap(({ labels, histogram }) =>
      histogram.samples().map(({ suffix, bound, value }): Sample => {
        if (bound === undefined) return { suffix, labels, value };
        return { suffix, labels: { ...labels, le: bound === Infinity ? '+Inf' : String(bound) }, value };
      }),
    );
    return { name: this.#name, type: 'histogram', help: this.#help, samples };
  }
}
