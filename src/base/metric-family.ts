import type { ChildSample, ExposedMetric, LabelPairs, MetricSample, MetricType } from './metric-text.ts';

export interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** The largest number of sets of label values; default 10,000. */
  readonly maxChildren?: number;
}

/** Label values by name; a metric without labels takes no argument. */
export type LabelArguments<Label extends string> = [Label] extends [never]
  ? []
  : [values: Readonly<Record<Label, string>>];

/** One set of label values of a metric, with the samples it exposes. */
export interface MetricChild {
  samples(): readonly ChildSample[];
}

const DEFAULT_MAX_CHILDREN = 10_000;
/** The value of every label once the family has `maxChildren` children. */
const OVERFLOW_VALUE = '_overflow';

/**
 * A metric with all its children.
 *
 * On a hot path resolve the child once (`const gets = requests.with({ verb: 'GET' })`) and keep it: `with` is one map
 * look-up, using a child is none. When `maxChildren` is reached, further label values share one child, whose values are all
 * `_overflow`, so a client cannot fill the memory by inventing values.
 */
export class MetricFamily<Label extends string, Child extends MetricChild> implements ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** In the order of declaration, which is the order of a key's parts. */
  readonly #labels: readonly Label[];
  readonly #maxChildren: number;
  readonly #newChild: () => Child;
  readonly #children = new Map<string, { readonly child: Child; readonly pairs: LabelPairs }>();

  constructor(options: MetricOptions<Label>, type: MetricType, newChild: () => Child) {
    this.name = options.name;
    this.help = options.help;
    this.type = type;
    this.#labels = options.labels ?? [];
    this.#maxChildren = options.maxChildren ?? DEFAULT_MAX_CHILDREN;
    this.#newChild = newChild;
    if (this.#labels.length === 0) this.#resolve('', []); // a metric without labels is exposed, at 0, from the start
  }

  /** The child with these label values, created on first use. */
  with(...[values]: LabelArguments<Label>): Child {
    const parts = this.#labels.map((label) => (values as Readonly<Record<Label, string>>)[label]);
    return this.#resolve(parts.join('\0'), parts);
  }

  samples(): readonly MetricSample[] {
    const children = [...this.#children.values()].sort((left, right) => comparePairs(left.pairs, right.pairs));
    return children.flatMap(({ child, pairs }) => child.samples().map((sample) => ({ ...sample, labels: pairs })));
  }

  #resolve(key: string, parts: readonly string[]): Child {
    const known = this.#children.get(key);
    if (known !== undefined) return known.child;
    const isFull = this.#children.size >= this.#maxChildren && parts.some((part) => part !== OVERFLOW_VALUE);
    if (isFull) {
      const overflow = parts.map(() => OVERFLOW_VALUE);
      return this.#resolve(overflow.join('\0'), overflow);
    }
    const child = this.#newChild();
    this.#children.set(key, { child, pairs: pairLabels(this.#labels, parts) });
    return child;
  }
}

/** Labels are sorted by name. */
export function pairLabels(labels: readonly string[], values: readonly string[]): LabelPairs {
  const pairs = labels.map((label, index) => [label, String(values[index])] as const);
  return pairs.sort(([left], [right]) => (left < right ? -1 : 1));
}

export function comparePairs(left: LabelPairs, right: LabelPairs): number {
  for (let index = 0; index < left.length; index++) {
    const a = left[index]?.[1] ?? '';
    const b = right[index]?.[1] ?? '';
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
