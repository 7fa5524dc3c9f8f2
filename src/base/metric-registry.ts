import { Counter, Gauge } from './counter.ts';
import { checkBounds, DEFAULT_BUCKETS, Histogram } from './histogram.ts';
import { comparePairs, MetricFamily, type MetricOptions, pairLabels } from './metric-family.ts';
import { formatHeader, formatLabels, formatNumber } from './metric-text.ts';

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

export interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper bounds, ascending, without +Inf; `DEFAULT_BUCKETS` unless given. */
  readonly buckets?: readonly number[];
}

export interface CallbackOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** 'gauge' unless given. */
  readonly type?: 'gauge' | 'counter';
}

/** One figure read at scrape time, with its label values. */
export interface CallbackSample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

interface Exposable {
  expose(): string;
}

/**
 * All metrics of one process part, written out in Prometheus' text format.
 *
 * Guarantees: metrics in the order of their names, samples in the order of their label values, so two scrapes compare.
 */
export class MetricRegistry {
  readonly #metrics = new Map<string, Exposable>();

  counter<const Label extends string = never>(options: MetricOptions<Label>): MetricFamily<Label, Counter> {
    return this.#register(options, new MetricFamily(options, 'counter', () => new Counter()));
  }

  gauge<const Label extends string = never>(options: MetricOptions<Label>): MetricFamily<Label, Gauge> {
    return this.#register(options, new MetricFamily(options, 'gauge', () => new Gauge()));
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): MetricFamily<Label, Histogram> {
    const bounds = checkBounds(options.name, options.buckets ?? DEFAULT_BUCKETS);
    return this.#register(options, new MetricFamily(options, 'histogram', () => new Histogram(bounds)));
  }

  /** A metric that is asked for only when somebody scrapes: `read` gives one number, or one sample per set of label values. */
  callback<const Label extends string = never>(
    options: CallbackOptions<Label>,
    read: () => number | Iterable<CallbackSample<Label>>,
  ): void {
    this.#register(options, { expose: () => exposeCallback(options, read()) });
  }

  /** Everything, as a scrape wants it. */
  expose(): string {
    const names = [...this.#metrics.keys()].sort();
    return names.map((name) => this.#metrics.get(name)?.expose() ?? '').join('');
  }

  #register<Metric extends Exposable>(options: { name: string; labels?: readonly string[] }, metric: Metric): Metric {
    const { name, labels = [] } = options;
    const badLabel = labels.find((label) => !LABEL_NAME.test(label));
    if (!METRIC_NAME.test(name)) throw new Error(`Cannot register metric ${JSON.stringify(name)}: not a metric name`);
    if (badLabel !== undefined)
      throw new Error(`Cannot register metric "${name}": ${JSON.stringify(badLabel)} is not a label name`);
    if (this.#metrics.has(name)) throw new Error(`Cannot register metric "${name}": the name is taken`);
    this.#metrics.set(name, metric);
    return metric;
  }
}

function exposeCallback<Label extends string>(
  { name, help, labels = [], type = 'gauge' }: CallbackOptions<Label>,
  result: number | Iterable<CallbackSample<Label>>,
): string {
  if (typeof result === 'number') return `${formatHeader(name, help, type)}${name} ${formatNumber(result)}\n`;
  const samples = Array.from(result, ({ labels: values, value }) => ({
    pairs: pairLabels(
      labels,
      labels.map((label) => values[label]),
    ),
    value,
  }));
  if (samples.length === 0) return '';
  samples.sort((left, right) => comparePairs(left.pairs, right.pairs));
  const lines = samples.map(({ pairs, value }) => `${name}${formatLabels(pairs)} ${formatNumber(value)}\n`);
  return formatHeader(name, help, type) + lines.join('');
}
