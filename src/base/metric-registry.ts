import { Counter, Gauge } from './counter.ts';
import { checkBounds, DEFAULT_BUCKETS, Histogram } from './histogram.ts';
import { comparePairs, MetricFamily, type MetricOptions, pairLabels } from './metric-family.ts';
import { type ExposedMetric, formatMetric, type MetricFormat, type MetricSample } from './metric-text.ts';

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

export interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper bounds, ascending, without +Inf; default `DEFAULT_BUCKETS`. */
  readonly buckets?: readonly number[];
}

export interface CallbackOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Default 'gauge'. */
  readonly type?: 'gauge' | 'counter';
}

/** One number read at scrape time, with its label values. */
export interface CallbackSample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/**
 * The metrics of one component, exposed in Prometheus' text format.
 *
 * Guarantees: metrics are sorted by name and samples by label values, so two scrapes can be compared.
 */
export class MetricRegistry {
  readonly #metrics = new Map<string, ExposedMetric>();
  /** Results of `shared`, by the function that made them. */
  readonly #shared = new Map<(registry: MetricRegistry) => unknown, unknown>();

  counter<const Label extends string = never>(options: MetricOptions<Label>): MetricFamily<Label, Counter> {
    return this.register(options, new MetricFamily(options, 'counter', () => new Counter()));
  }

  gauge<const Label extends string = never>(options: MetricOptions<Label>): MetricFamily<Label, Gauge> {
    return this.register(options, new MetricFamily(options, 'gauge', () => new Gauge()));
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): MetricFamily<Label, Histogram> {
    const bounds = checkBounds(options.name, options.buckets ?? DEFAULT_BUCKETS);
    return this.register(options, new MetricFamily(options, 'histogram', () => new Histogram(bounds)));
  }

  /** A metric that is computed at scrape time: `read` returns one number, or one sample per set of label values. */
  callback<const Label extends string = never>(
    options: CallbackOptions<Label>,
    read: () => number | Iterable<CallbackSample<Label>>,
  ): void {
    const { name, help, type = 'gauge' } = options;
    this.register(options, { name, help, type, samples: () => samplesOf(options.labels ?? [], read()) });
  }

  /** Metrics that several components share, or one requests repeatedly: `make` registers them the first time. */
  shared<Figures>(make: (registry: MetricRegistry) => Figures): Figures {
    if (!this.#shared.has(make)) this.#shared.set(make, make(this));
    return this.#shared.get(make) as Figures;
  }

  get metrics(): Iterable<ExposedMetric> {
    return this.#metrics.values();
  }

  /** The text of a scrape. */
  expose(format: MetricFormat = 'text'): string {
    return MetricRegistry.exposeAll([this], format);
  }

  /** Several registries as one: series with the same name and labels are added up. */
  static exposeAll(registries: readonly MetricRegistry[], format: MetricFormat): string {
    const names = new Set(registries.flatMap((registry) => [...registry.#metrics.keys()]));
    const texts = [...names].sort().map((name) => {
      const metrics = registries.map((registry) => registry.#metrics.get(name));
      return formatMetric(
        metrics.filter((metric) => metric !== undefined),
        format,
      );
    });
    return texts.join('') + (format === 'openmetrics' ? '# EOF\n' : '');
  }

  /** Adds a metric that was created elsewhere. */
  register<Metric extends ExposedMetric>(
    options: { name: string; labels?: readonly string[] },
    metric: Metric,
  ): Metric {
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

function samplesOf<Label extends string>(
  labels: readonly Label[],
  result: number | Iterable<CallbackSample<Label>>,
): readonly MetricSample[] {
  if (typeof result === 'number') return [{ suffix: '', labels: [], value: result }];
  const samples = Array.from(result, ({ labels: values, value }): MetricSample => {
    const inOrder = labels.map((label) => values[label]);
    return { suffix: '', labels: pairLabels(labels, inOrder), value };
  });
  return samples.sort((left, right) => comparePairs(left.labels, right.labels));
}
