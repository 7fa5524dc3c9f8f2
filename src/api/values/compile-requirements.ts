import { unreachable } from '../../base/index.ts';
import { parseGoInteger } from './go-integer.ts';
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts';
import { ValueError } from './value-error.ts';

type LabelTest = (labels: Labels) => boolean;

/** Up to this many requirements are tested one by one, which is fastest for usual selectors. */
const FEW = 8;

/**
 * Compiles requirements, sorted by key, into one test. Its time depends on an object's labels, not on the number of
 * requirements.
 */
export function compileRequirements(requirements: readonly LabelRequirement[]): LabelTest {
  const [first, ...others] = requirements;
  if (first === undefined) return () => true;
  if (others.length === 0) return compileRequirement(first);
  return requirements.length <= FEW ? allOf(requirements.map(compileRequirement)) : compileMany(requirements);
}

function allOf(tests: readonly LabelTest[]): LabelTest {
  return (labels) => {
    for (const test of tests) if (!test(labels)) return false;
    return true;
  };
}

/**
 * Requirements that an absent label satisfies are only tested for existing labels; the others only if there are enough
 * labels.
 */
function compileMany(requirements: readonly LabelRequirement[]): LabelTest {
  const tests = new Map<string, LabelTest>();
  const needed = new Set<string>();
  for (const [key, together] of byKey(requirements)) {
    tests.set(key, allOf(merged(together).map(compileRequirement)));
    if (together.some(({ operator }) => !isMetByAbsence(operator))) needed.add(key);
  }
  return (labels) => {
    let met = 0;
    for (const key of Object.keys(labels ?? {})) {
      if (tests.get(key)?.(labels) === false) return false;
      if (needed.has(key)) met += 1;
    }
    return met === needed.size;
  };
}

function byKey(requirements: readonly LabelRequirement[]): ReadonlyMap<string, readonly LabelRequirement[]> {
  const groups = new Map<string, LabelRequirement[]>();
  for (const requirement of requirements) {
    const group = groups.get(requirement.key);
    if (group === undefined) groups.set(requirement.key, [requirement]);
    else group.push(requirement);
  }
  return groups;
}

function isMetByAbsence(operator: LabelOperator): boolean {
  return operator === '!=' || operator === 'notin' || operator === '!';
}

/** Merges the requirements on one label into a few. */
function merged(requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  if (requirements.length <= FEW) return requirements;
  const key = requirements[0]?.key ?? '';
  let wanted: Set<string> | undefined;
  const unwanted = new Set<string>();
  const others: LabelRequirement[] = [];
  for (const requirement of requirements) {
    const { operator, values } = requirement;
    if (operator === '=' || operator === '==' || operator === 'in') {
      const both = wanted;
      wanted = new Set(both === undefined ? values : values.filter((value) => both.has(value)));
    } else if (operator === '!=' || operator === 'notin') for (const value of values) unwanted.add(value);
    else others.push(requirement);
  }
  return [
    ...(wanted === undefined ? [] : [{ key, operator: 'in', values: [...wanted] } as const]),
    ...(unwanted.size === 0 ? [] : [{ key, operator: 'notin', values: [...unwanted] } as const]),
    ...tightest(others),
  ];
}

/** Of bounds on one label, keeps the highest lower and the lowest upper one. */
function tightest(requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  const kept = new Map<LabelOperator, LabelRequirement>();
  for (const requirement of requirements) {
    const { operator } = requirement;
    const before = kept.get(operator);
    const isTighter =
      before === undefined ||
      (operator === 'lt' ? boundOf(requirement) < boundOf(before) : boundOf(requirement) > boundOf(before));
    if (isTighter) kept.set(operator, requirement);
  }
  return [...kept.values()];
}

function boundOf({ values: [text = ''] }: LabelRequirement): bigint | number {
  const bound = parseGoInteger(text, 'ParseInt');
  return bound instanceof ValueError ? 0n : bound;
}

/** Compiles a requirement. A label's value is a string, which distinguishes it from inherited properties. */
function compileRequirement({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const [only = ''] = values;
  const wanted = values.length === 1 ? undefined : new Set(values);
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      if (wanted === undefined) return (labels) => labels?.[key] === only;
      return (labels) => wanted.has(labels?.[key] as string);
    case '!=':
    case 'notin':
      if (wanted === undefined) return (labels) => labels?.[key] !== only;
      return (labels) => !wanted.has(labels?.[key] as string);
    case 'exists':
      return (labels) => typeof labels?.[key] === 'string';
    case '!':
      return (labels) => typeof labels?.[key] !== 'string';
    case 'gt':
    case 'lt':
      return compileBound(key, operator, only);
    default:
      return unreachable(operator);
  }
}

function compileBound(key: string, operator: 'gt' | 'lt', text: string): (labels: Labels) => boolean {
  const bound = parseGoInteger(text, 'ParseInt');
  return (labels) => {
    const value = labels?.[key];
    if (typeof value !== 'string') return false;
    const number = parseGoInteger(value, 'ParseInt');
    if (number instanceof ValueError || bound instanceof ValueError) return false;
    return operator === 'gt' ? number > bound : number < bound;
  };
}
