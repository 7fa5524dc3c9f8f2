import { compareUtf8 } from '../../base/index.ts';
import { compileRequirements } from './compile-requirements.ts';
import { quoteGo } from './go-text.ts';
import {
  checkRequirement,
  printRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
} from './label-requirement.ts';
import { ValueError } from './value-error.ts';

/** A compiled label selector. Immutable. */
export class LabelMatcher {
  /** Sorted by key. All must hold. */
  readonly requirements: readonly LabelRequirement[];
  /** Selects nothing, because the selector was absent. */
  readonly matchesNothing: boolean;
  readonly #test: (labels: Labels) => boolean;

  constructor(requirements: readonly LabelRequirement[], options?: { readonly matchesNothing: boolean }) {
    this.requirements = requirements.toSorted((left, right) => compareUtf8(left.key, right.key));
    this.matchesNothing = options?.matchesNothing ?? false;
    this.#test = compileRequirements(this.requirements);
  }

  /** Whether it selects every object. */
  get isEmpty(): boolean {
    return this.requirements.length === 0 && !this.matchesNothing;
  }

  matches(labels: Labels): boolean {
    return this.#test(labels) && !this.matchesNothing;
  }

  /** The selector as a string that can be parsed again. */
  toString(): string {
    return this.requirements.map(printRequirement).join(',');
  }
}

/** A LabelSelector object, as in a spec. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Selects every object. */
export function matchEverything(): LabelMatcher {
  return new LabelMatcher([]);
}

/** Selects no object. */
export function matchNothing(): LabelMatcher {
  return new LabelMatcher([], { matchesNothing: true });
}

/** Selects objects that have all of these labels; keys and values are not validated. */
export function matchLabels(labels: Labels): LabelMatcher {
  return new LabelMatcher(
    Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: '=', values: [value] })),
  );
}

/** Compiles a LabelSelector object: undefined selects nothing, empty selects everything. */
export function matchLabelSelector(selector: LabelSelectorObject | undefined): LabelMatcher | ValueError {
  if (selector === undefined) return matchNothing();
  const requirements: LabelRequirement[] = [];
  for (const key of Object.keys(selector.matchLabels ?? {}).toSorted(compareUtf8)) {
    requirements.push({ key, operator: '=', values: [selector.matchLabels?.[key] ?? ''] });
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = OPERATORS.get(operator);
    if (known === undefined) {
      return checkAll(requirements) ?? new ValueError(`${quoteGo(operator)} is not a valid label selector operator`);
    }
    requirements.push({ key, operator: known, values: values ?? [] });
  }
  return checkAll(requirements) ?? new LabelMatcher(requirements);
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Prints a LabelSelector object as in tables. */
export function formatLabelSelector(selector: LabelSelectorObject | undefined): string {
  const matcher = matchLabelSelector(selector);
  if (matcher instanceof ValueError) return '<error>';
  return matcher.toString() || '<none>';
}

/** Prints labels as in tables: `a=1,b=2`. */
export function formatLabels(labels: Labels): string {
  const printed = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return printed.toSorted(compareUtf8).join(',') || '<none>';
}

function checkAll(requirements: readonly LabelRequirement[]): ValueError | undefined {
  for (const requirement of requirements) {
    const problem = checkRequirement(requirement);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
