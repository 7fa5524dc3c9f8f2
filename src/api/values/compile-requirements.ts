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
  return requirements.length > FEW ? compileMany(requirements) : allOf(requirements.map(compileRequirement));
}

function allOf(tests: readonly LabelTest[]): LabelTest {
  const [first] = tests;
  if (first !== undefined && tests.length === 1) return first;
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
    const test = allOf(merged(key, together).map(compileRequirement));
    tests.set(key, test);
    if (!test(undefined)) needed.add(key);
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
    const group = groups.get(requirement.key) ?? [];
    group.push(requirement);
    groups.set(requirement.key, group);
  }
  return groups;
}

/** Merges the requirements on one label into at most one of each operator. */
function merged(key: string, requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  const kept = new Map<LabelOperator, Set<string>>();
  for (const { operator, values } of requirements) {
    const same = operator === '=' || operator === '==' ? 'in' : operator === '!=' ? 'notin' : operator;
    const before = kept.get(same);
    kept.set(same, before === undefined ? new Set(values) : both(same, before, values));
  }
  return Array.from(kept, ([operator, values]) => ({ key, operator, values: [...values] }));
}

/** The values of one requirement that says what two with the same operator say. */
function both(operator: LabelOperator, before: Set<string>, values: readonly string[]): Set<string> {
  if (operator === 'in') return new Set(values.filter((value) => before.has(value)));
  if (operator === 'notin') {
    for (const value of values) before.add(value);
    return before;
  }
  return boundOf(values) > boundOf([...before]) === (operator === 'gt') ? new Set(values) : before;
}

function boundOf([text = '']: readonly string[]): bigint {
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
