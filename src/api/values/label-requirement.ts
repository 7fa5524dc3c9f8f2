import { compareUtf8, unreachable } from '../../base/index.ts';
import { parseGoInteger } from './go-integer.ts';
import { cutForMessage, jsonGo, quoteGo } from './go-text.ts';
import { labelValueProblems, qualifiedNameProblems } from './label-names.ts';
import { ValueError } from './value-error.ts';

/** The operators of a label selector. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** An object's labels; undefined equals none. */
export type Labels = Readonly<Record<string, string>> | undefined;

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Checks a requirement's key and values; joins all problems in one error. */
export function checkRequirement(requirement: LabelRequirement): ValueError | undefined {
  const problems = requirementProblems(requirement);
  if (problems.length === 0) return undefined;
  const distinct = [...new Set(problems)];
  return new ValueError(distinct.length === 1 ? (problems[0] ?? '') : `[${cutForMessage(distinct.join(', '))}]`);
}

/** The problems of a requirement, each with its relative path, such as `key: Invalid value: ""`. */
export function requirementProblems({ key, operator, values }: LabelRequirement): readonly string[] {
  return [
    ...invalid('key', quoteGo(key), qualifiedNameProblems(key)),
    ...countProblems(operator, values),
    ...(operator === 'gt' || operator === 'lt' ? values.flatMap(integerProblems) : []),
    ...values.flatMap((value, at) => invalid(`values[${at}][${key}]`, quoteGo(value), labelValueProblems(value))),
  ];
}

/** Checks a key alone, without a path. */
export function checkLabelKey(key: string): ValueError | undefined {
  const [problem] = invalid('<nil>', quoteGo(key), qualifiedNameProblems(key));
  return problem === undefined ? undefined : new ValueError(problem);
}

/** Prints a requirement in selector syntax, such as `tier in (back,front)`. */
export function printRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.length < 2 ? values.join('') : values.toSorted(compareUtf8).join(',');
  switch (operator) {
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${list}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
    case 'lt':
      return `${key}${operator === 'gt' ? '>' : '<'}${list}`;
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    default:
      return unreachable(operator);
  }
}

function countProblems(operator: LabelOperator, values: readonly string[]): string[] {
  const problem = countProblem(operator, values.length);
  return problem === undefined
    ? []
    : [`values: Invalid value: ${jsonGo(values.length === 0 ? null : values)}: ${problem}`];
}

function countProblem(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
    default:
      return unreachable(operator);
  }
}

function integerProblems(value: string, at: number): string[] {
  if (!(parseGoInteger(value, 'ParseInt') instanceof ValueError)) return [];
  return [`values[${at}]: Invalid value: ${quoteGo(value)}: for 'Gt', 'Lt' operators, the value must be an integer`];
}

function invalid(path: string, value: string, problems: readonly string[]): string[] {
  return problems.length === 0 ? [] : [`${path}: Invalid value: ${value}: ${problems.join('; ')}`];
}
