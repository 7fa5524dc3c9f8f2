import {
  type FieldError,
  invalidValue,
  type LabelOperator,
  notSupported,
  requirementProblems,
} from '../../api/index.ts';
import type { NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm } from '../../api/types/core/v1.d.ts';

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

/** What is wrong with node affinity that is added to all pods. Terms that ask nothing are let pass. */
export function nodeAffinityProblems(
  affinity: NodeAffinity | undefined,
  path: string,
): readonly (FieldError | string)[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity ?? {};
  const neededPath = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredPath = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...(needed?.nodeSelectorTerms ?? []).flatMap((term, index) => termProblems(term, `${neededPath}[${index}]`)),
    ...preferred.flatMap(({ weight = 0, preference = {} }, index) =>
      weight === 0 ? [] : termProblems(preference, `${preferredPath}[${index}]`),
    ),
  ];
}

function termProblems({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, path: string): Problems {
  return [
    ...matchExpressions.flatMap((expression, index) =>
      expressionProblems(expression, `${path}.matchExpressions[${index}]`),
    ),
    ...matchFields.flatMap((field, index) => fieldProblems(field, `${path}.matchFields[${index}]`)),
  ];
}

type Problems = (FieldError | string)[];

function expressionProblems({ key = '', operator, values = [] }: NodeSelectorRequirement, path: string): Problems {
  const known = OPERATORS[operator];
  if (known === undefined) return [notSupported(`${path}.operator`, operator ?? '', Object.keys(OPERATORS))];
  return requirementProblems({ key, operator: known, values }).map((problem) => `${path}.${problem}`);
}

/** A field has one value. */
function fieldProblems({ operator, values = [] }: NodeSelectorRequirement, path: string): Problems {
  if (operator !== 'In' && operator !== 'NotIn')
    return [notSupported(`${path}.operator`, operator ?? '', ['In', 'NotIn'])];
  if (values.length === 1) return [];
  return [invalidValue(`${path}.values`, values.length === 0 ? null : values, 'must have one element')];
}
