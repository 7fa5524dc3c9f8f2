/** What a Prometheus scrape of `MetricRegistry.expose()` is served as. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** Names and values of a child's labels, in the order they are written. */
export type LabelPairs = readonly (readonly [name: string, value: string])[];

/** The two comment lines above a metric's samples. */
export function formatHeader(name: string, help: string, type: MetricType): string {
  return `# HELP ${name} ${help.replace(/[\\\n]/g, escapeCharacter)}\n# TYPE ${name} ${type}\n`;
}

/** `{a="1",b="2"}`, or nothing without labels. */
export function formatLabels(pairs: LabelPairs): string {
  if (pairs.length === 0) return '';
  return `{${pairs.map(([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escapeCharacter)}"`).join(',')}}`;
}

/** A number as Go, and so every Kubernetes program, writes it: 0.0001 to 999999 plainly, with an exponent beyond. */
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
