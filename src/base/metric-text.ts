/** Prometheus' text format, and OpenMetrics, the standard derived from it. */
export type MetricFormat = 'text' | 'openmetrics';

const ENCODED = '; charset=utf-8; escaping=underscores';

/** The content type of each format. */
export const METRIC_CONTENT_TYPES: Readonly<Record<MetricFormat, string>> = {
  text: `text/plain; version=0.0.4${ENCODED}`,
  openmetrics: `application/openmetrics-text; version=1.0.0${ENCODED}`,
};

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** Names and values of a child's labels, in output order. */
export type LabelPairs = readonly (readonly [name: string, value: string])[];

/** One line of a child; the family adds the metric's name and the labels. */
export interface ChildSample {
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  /** The upper bound of a bucket. */
  readonly bound?: number;
  readonly value: number;
}

export interface MetricSample extends ChildSample {
  readonly labels: LabelPairs;
}

/** A metric at scrape time. */
export interface ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  samples(): readonly MetricSample[];
}

/** The format that an `Accept` header prefers; the text format when it accepts neither. */
export function negotiateMetricFormat(accept: string): MetricFormat {
  let [standard, plain] = [0, 0];
  for (const clause of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
    if (type === 'application/openmetrics-text') standard = Math.max(standard, weight);
    else if (type === 'text/plain' || type === 'text/*') plain = Math.max(plain, weight);
  }
  return standard > 0 && standard >= plain ? 'openmetrics' : 'text';
}

/**
 * The lines of one metric, whose samples may come from several registries; samples with the same labels are added up. Empty
 * without samples.
 */
export function formatMetric(metrics: readonly ExposedMetric[], format: MetricFormat): string {
  const [first] = metrics;
  const lines = new Map<string, number>();
  for (const metric of metrics) {
    for (const { suffix, bound, labels, value } of metric.samples()) {
      const pairs = bound === undefined ? labels : [...labels, ['le', formatBound(bound, format)] as const];
      const ending = metric.type === 'counter' && format === 'openmetrics' ? '_total' : suffix;
      const line = `${baseName(metric, format)}${ending}${formatLabels(pairs)}`;
      lines.set(line, (lines.get(line) ?? 0) + value);
    }
  }
  if (first === undefined || lines.size === 0) return '';
  const help = first.help.replace(format === 'text' ? /[\\\n]/g : /[\\\n"]/g, escapeCharacter);
  const name = baseName(first, format);
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${first.type}\n`;
  for (const [line, value] of lines) text += `${line} ${formatNumber(value)}\n`;
  return text;
}

/** OpenMetrics puts `_total` on the samples of a counter, not on its name. */
function baseName({ name, type }: ExposedMetric, format: MetricFormat): string {
  return format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
}

/** OpenMetrics requires bounds to be written as fractions, so that 1 and 1.0 are not two buckets. */
function formatBound(bound: number, format: MetricFormat): string {
  const text = formatNumber(bound);
  return format === 'openmetrics' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** `{a="1",b="2"}`, or an empty text without labels. */
function formatLabels(pairs: LabelPairs): string {
  if (pairs.length === 0) return '';
  return `{${pairs.map(([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escapeCharacter)}"`).join(',')}}`;
}

/** A number as Go, and so every Kubernetes program, formats it: 0.0001 to 999999 plainly, with an exponent beyond. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function escapeCharacter(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}
