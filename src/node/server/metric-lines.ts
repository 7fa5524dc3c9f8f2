import type { Family } from '../backend/index.ts';

export type { Family, Sample } from '../backend/index.ts';

/** Families as Prometheus reads them, sorted by name. A family without samples is left out. */
export function metricLines(families: readonly Family[]): string {
  const lines: string[] = [];
  for (const { name, type, help, samples } of families.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (samples.length === 0) continue;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels = {}, value, atMs, suffix = '' } of samples)
      lines.push(`${name}${suffix}${labelText(labels)} ${value}${atMs === undefined ? '' : ` ${atMs}`}`);
  }
  return `${lines.join('\n')}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function labelText(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1));
  if (entries.length === 0) return '';
  const texts = entries.map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (each) => ESCAPES[each] ?? each)}"`,
  );
  return `{${texts.join(',')}}`;
}
