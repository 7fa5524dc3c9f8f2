import type { ChildSample, ExposedMetric, LabelPairs, MetricSample, MetricType } from './metric-text.ts';

export interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** No more sets of label values than this; 10,000 unless given. */
  readonly maxChildren?: number;
}

/** Label values by name; to be left out by metrics without labels. */
export type LabelArguments<Label extends string> = [Label] extends [never]
  ? []
  : [values: Readonly<Record<Label, string>>];

/** One set of label values of a metric, able to write itself down. */
export interface MetricChild {
  samples(): readonly ChildSample[];
}

const DEFAULT_MAX_CHILDREN = 10_000;
/** Stands for every label value that came after the family was full. */
const OVERFLOW_VALUE = '_overflow';

/**
 * A metric with all its children.
 *
 * On a busy path resolve the child once (`const gets = requests.with({ verb: 'GET' })`) and keep it: `with` is one map
 * look-up, using a child is none. When `maxChildren` is reached, further label values share one child, whose values all
 * read `_overflow`, so a client cannot fill the memory by inventing values.
 */
export class MetricFamily<Label extends string, Child extends MetricChild> implements ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** As declared, which is the order of a key's parts. */
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
    if (this.#labels.length === 0) this.#resolve('', []); // a metric without labels is there, at 0, from the start
  }

  /** The child with these label values, made when it is first asked for. */
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

/** Labels are written in the order of their names. */
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
