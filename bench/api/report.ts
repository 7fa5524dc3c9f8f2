/** One thing measured on both servers; `better` says which way is good. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** The ratio to reach against the peer, if one was set. */
  readonly aim?: number;
  readonly samples: Map<string, number[]>;
}

export class Report {
  readonly #measures = new Map<string, Measure>();

  add(server: string, measure: Omit<Measure, 'samples'>, value: number): void {
    const known = this.#measures.get(measure.name) ?? { ...measure, samples: new Map<string, number[]>() };
    this.#measures.set(measure.name, known);
    known.samples.set(server, [...(known.samples.get(server) ?? []), value]);
    console.log(`${server}: ${measure.name}: ${format(value)} ${measure.unit}`);
  }

  /** Medians with their spread, and how many times better we are than the peer. */
  markdown(ours: string, peer: string | undefined): string {
    const rows = [...this.#measures.values()].map((measure) => row(measure, ours, peer));
    return [`| what | unit | ${ours} | ${peer ?? 'peer'} | ratio | aim |`, '|---|---|---|---|---|---|', ...rows].join(
      '\n',
    );
  }
}

function row({ name, unit, better, aim, samples }: Measure, ours: string, peer: string | undefined): string {
  const own = samples.get(ours) ?? [];
  const other = peer === undefined ? [] : (samples.get(peer) ?? []);
  const ratio =
    other.length === 0 ? undefined : better === 'higher' ? median(own) / median(other) : median(other) / median(own);
  const cell = (values: readonly number[]): string =>
    values.length === 0
      ? '–'
      : `${format(median(values))} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
  const verdict =
    ratio === undefined ? '–' : `${ratio.toFixed(1)}×${aim !== undefined && ratio < aim ? ' (missed)' : ''}`;
  return `| ${name} | ${unit} | ${cell(own)} | ${cell(other)} | ${verdict} | ${aim === undefined ? '' : `≥ ${aim}×`} |`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function format(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
