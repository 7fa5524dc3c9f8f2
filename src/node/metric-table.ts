import type { Family, Sample } from './backend/metric-family.ts';
import { Timings } from './timings.ts';

/** A metric of a table: what it means, and the bounds of a histogram; default those of Prometheus. */
export type MetricRow =
  | {
      readonly type: 'counter' | 'gauge';
      readonly help: string;
      /** Whether the metric is there, at 0, before it is first counted: for those without labels. */
      readonly startsAtZero?: boolean;
    }
  | { readonly type: 'histogram'; readonly help: string; readonly bounds?: readonly number[] };

type Labels = Readonly<Record<string, string>>;

/** Labels of more series than this are dropped: labels come from what pods and plugins say. */
const MAX_SERIES = 500;

/** Counts under the names of a table. A metric takes memory from when it is first counted. */
export class MetricTable<Name extends string> {
  readonly #rows: Readonly<Record<Name, MetricRow>>;
  #numbers: Map<Name, Map<string, { readonly labels: Labels; value: number }>> | undefined;
  #timings: Map<Name, Timings> | undefined;

  constructor(rows: Readonly<Record<Name, MetricRow>>) {
    this.#rows = rows;
  }

  /** Adds to a counter or gauge. */
  add(name: Name, labels: Labels = {}, amount = 1): void {
    const series = this.#series(name, labels);
    if (series !== undefined) series.value += amount;
  }

  /** Sets a gauge. */
  set(name: Name, value: number, labels: Labels = {}): void {
    const series = this.#series(name, labels);
    if (series !== undefined) series.value = value;
  }

  /** Adds a value to a histogram. */
  observe(name: Name, value: number, labels: Labels = {}): void {
    const row = this.#rows[name];
    if (row.type !== 'histogram') throw new Error(`Cannot observe "${name}": it is a ${row.type}`);
    this.#timings ??= new Map();
    let timings = this.#timings.get(name);
    if (timings === undefined) {
      const { help, bounds } = row;
      timings = bounds === undefined ? new Timings(name, help) : new Timings(name, help, Float64Array.from(bounds));
      this.#timings.set(name, timings);
    }
    timings.observe(value, labels);
  }

  families(): readonly Family[] {
    const zeros = (Object.keys(this.#rows) as Name[]).flatMap((name): Family[] => {
      const row = this.#rows[name];
      if (row.type === 'histogram' || row.startsAtZero !== true || this.#numbers?.has(name) === true) return [];
      return [{ name, type: row.type, help: row.help, samples: [{ value: 0 }] }];
    });
    const numbers = [...(this.#numbers ?? [])].map(([name, series]): Family => {
      const { type, help } = this.#rows[name];
      return { name, type, help, samples: [...series.values()].map((each): Sample => ({ ...each })) };
    });
    return [...zeros, ...numbers, ...[...(this.#timings?.values() ?? [])].map((each) => each.family())];
  }

  #series(name: Name, labels: Labels): { value: number } | undefined {
    this.#numbers ??= new Map();
    const own = this.#numbers.get(name) ?? new Map<string, { readonly labels: Labels; value: number }>();
    this.#numbers.set(name, own);
    const key = JSON.stringify(labels);
    const known = own.get(key);
    if (known !== undefined || own.size >= MAX_SERIES) return known;
    const made = { labels, value: 0 };
    own.set(key, made);
    return made;
  }
}
