import { type FieldError, invalidValue, invalidWhole, notSupported } from '../../api/index.ts';
import { checkRequirement, type LabelOperator } from '../../api/values/index.ts';
import type { NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { childPath, refuseArguments } from './plugin-arguments.ts';

/** The settings of NodeAffinity, as in NodeAffinityArgs. */
export interface NodeAffinityArgs {
  /** Holds for all pods of the profile beside their own node affinity. */
  readonly addedAffinity?: DeepReadonly<NodeAffinity>;
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);
const FIELD_OPERATORS = ['In', 'NotIn'];

/** Reads what a profile says for NodeAffinity. */
export function readNodeAffinityArgs(args: unknown): DeepReadonly<NodeAffinity> {
  const given = (args ?? {}) as NodeAffinityArgs;
  refuseArguments('NodeAffinity', nodeAffinityArgsErrors(given));
  return given.addedAffinity ?? {};
}

/** What is wrong with the settings, in kube-scheduler's words. */
export function nodeAffinityArgsErrors({ addedAffinity = {} }: NodeAffinityArgs, path = ''): FieldError[] {
  const added = childPath(path, 'addedAffinity');
  const required = addedAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = addedAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const requiredPath = `${added}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredPath = `${added}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...required.flatMap((term, index) => termErrors(term, `${requiredPath}[${index}]`)),
    ...preferred.flatMap(({ preference }, index) => termErrors(preference, `${preferredPath}[${index}]`)),
  ];
}

function termErrors(
  { matchExpressions = [], matchFields = [] }: DeepReadonly<NodeSelectorTerm>,
  path: string,
): FieldError[] {
  return [
    ...matchExpressions.flatMap((one, index) => labelErrors(one, `${path}.matchExpressions[${index}]`)),
    ...matchFields.flatMap((one, index) => nameErrors(one, `${path}.matchFields[${index}]`)),
  ];
}

type Requirement = DeepReadonly<NodeSelectorRequirement>;

function labelErrors({ key, operator, values = [] }: Requirement, path: string): FieldError[] {
  const known = OPERATORS.get(operator);
  if (known === undefined) return [notSupported(`${path}.operator`, operator, [...OPERATORS.keys()])];
  const problem = checkRequirement({ key, operator: known, values: [...values] });
  return problem === undefined ? [] : [invalidWhole(path, problem.message)];
}

function nameErrors({ operator, values = [] }: Requirement, path: string): FieldError[] {
  if (!FIELD_OPERATORS.includes(operator)) return [notSupported(`${path}.operator`, operator, FIELD_OPERATORS)];
  return values.length === 1 ? [] : [invalidValue(`${path}.values`, values, 'must have one element')];
}
