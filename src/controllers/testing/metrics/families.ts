/** A metric family as parsed from text. */
export interface Family {
  readonly type: string;
  /** Sorted, without `le`. */
  readonly labels: readonly string[];
}

/** The metric families in Prometheus text format, by name. */
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

/** The work queue names in the text. */
export function queuesOf(text: string): string[] {
  return [...text.matchAll(/^workqueue_adds_total\{name="([^"]+)"\}/gm)].map(([, name = '']) => name).sort();
}
