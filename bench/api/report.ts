import { cpus, totalmem } from 'node:os';
import { median } from '../median.ts';

/** The target: a factor relative to the peer, or an absolute figure. */
export type Aim = { readonly times: number } | { readonly atMost: number };

/** One thing measured on both servers; `better` says which way is good. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly aim?: Aim;
  /** Heading of the table that it stands in. */
  readonly part?: string;
}

/** Values of all rounds by server. */
type Samples = Record<string, number[]>;

interface Measured extends Measure {
  readonly samples: Samples;
  /** What else was seen at the same time, lower is better: by the heading of its column. */
  readonly details: Record<string, Samples>;
}

const KEPT_CHARACTERS = 300;

export class Report {
  readonly #measures = new Map<string, Measured>();
  readonly #failures: string[] = [];

  add(server: string, measure: Measure, value: number, details: Readonly<Record<string, number>> = {}): void {
    const known = this.#measures.get(measure.name) ?? { ...measure, samples: {}, details: {} };
    this.#measures.set(measure.name, known);
    (known.samples[server] ??= []).push(value);
    for (const [column, detail] of Object.entries(details))
      ((known.details[column] ??= {})[server] ??= []).push(detail);
    const more = Object.entries(details).map(([column, detail]) => `, ${column} ${format(detail)}`);
    console.log(`${server}: ${measure.name}: ${format(value)} ${measure.unit}${more.join('')}`);
  }

  /** A part that could not be measured, which the page mentions. */
  addFailure(server: string, part: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    console.error(`${server}: ${part} failed: ${message}`);
    this.#failures.push(`${server}, ${part}: ${message.replaceAll('\n', ' ').slice(0, KEPT_CHARACTERS)}`);
  }

  get hasFailed(): boolean {
    return this.#failures.length > 0;
  }

  /** Medians with their spread, how many times better we are than the peer, and whether that is the aim: a table for each part. */
  markdown(ours: string, peer: string | undefined): string {
    const all = [...this.#measures.values()];
    const tables = [...new Set(all.map(({ part }) => part))].map((part) => {
      const measures = all.filter((measure) => measure.part === part);
      return `${part === undefined ? '' : `## ${part}\n\n`}${table(measures, ours, peer)}`;
    });
    const failures = this.#failures.map((failure) => `- ${failure}`).join('\n');
    return [...tables, ...(failures === '' ? [] : [`## Not measured\n\n${failures}`])].join('\n\n');
  }

  /** Every value of every round. */
  json(): string {
    const content = { machine: machine(), failures: this.#failures, measures: [...this.#measures.values()] };
    return `${JSON.stringify(content, undefined, 2)}\n`;
  }
}

/** The machine in words for a page. */
export function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

function table(measures: readonly Measured[], ours: string, peer: string | undefined): string {
  const columns = [...new Set(measures.flatMap(({ details }) => Object.keys(details)))];
  const head = ['what', 'unit', ours, peer ?? 'peer', 'ratio', ...columns.map((column) => `${column}: both`)];
  const rows = measures.map((measure) => {
    const { name, unit, samples } = measure;
    const own = samples[ours] ?? [];
    const other = peer === undefined ? [] : (samples[peer] ?? []);
    const ratio = ratioOf(measure, own, other);
    const details = columns.map((column) => {
      const both = [ours, peer ?? ''].map((server) => measure.details[column]?.[server] ?? []);
      return both.every((values) => values.length === 0) ? '' : both.map(middle).join(' / ');
    });
    const judged = [ratio === undefined ? '–' : `${ratio.toFixed(1)}×`, ...details];
    return [name, unit, spread(own), spread(other), ...judged, aimText(measure), verdict(measure, own, ratio)];
  });
  const all = [[...head, 'aim', 'met'], Array.from({ length: head.length + 2 }, () => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function ratioOf({ better }: Measure, own: readonly number[], other: readonly number[]): number | undefined {
  if (own.length === 0 || other.length === 0) return undefined;
  const [more, less] = better === 'higher' ? [median(own), median(other)] : [median(other), median(own)];
  return less === 0 ? undefined : more / less; // too little to be measured
}

function aimText({ aim, unit }: Measure): string {
  if (aim === undefined) return '';
  return 'times' in aim ? `≥ ${aim.times}×` : `≤ ${aim.atMost} ${unit}`;
}

function verdict({ aim }: Measure, own: readonly number[], ratio: number | undefined): string {
  if (aim === undefined || own.length === 0) return '';
  if ('atMost' in aim) return median(own) <= aim.atMost ? 'yes' : 'no';
  return ratio === undefined ? '' : ratio >= aim.times ? 'yes' : 'no';
}

function spread(values: readonly number[]): string {
  const range = `${format(Math.min(...values))}–${format(Math.max(...values))}`;
  return values.length < 2 ? middle(values) : `${middle(values)} (${range})`;
}

function middle(values: readonly number[]): string {
  return values.length === 0 ? '–' : format(median(values));
}

function format(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
