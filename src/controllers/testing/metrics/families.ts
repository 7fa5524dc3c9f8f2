/** What a metric is, as far as its text shows. */
export interface Family {
  readonly type: string;
  /** In the order of their names, without the bounds of buckets. */
  readonly labels: readonly string[];
}

/** The metrics in Prometheus' text, by name. */
export function familiesOf(text: string): Map<string, Family> {
  const families = new Map<string, { type: string; labels: Set<string> }>();
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (declared !== undefined) families.set(declared, { type: type ?? '', labels: new Set() });
    const [, sample = '', labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? [];
    const family = families.get(sample) ?? families.get(sample.replace(/_(?:bucket|sum|count)$/, ''));
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') family?.labels.add(label);
  }
  return new Map([...families].map(([name, { type, labels }]) => [name, { type, labels: [...labels].sort() }]));
}

/** The names of queues that the text tells about. */
export function queuesOf(text: string): string[] {
  return [...text.matchAll(/^workqueue_adds_total\{name="([^"]+)"\}/gm)].map(([, name = '']) => name).sort();
}
