import { invalidValue, notSupported } from '../../api/index.ts';
import { type LabelOperator, requirementProblems } from '../../api/values/index.ts';
import type { NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { childPath, refuseArguments, type SettingProblem } from './plugin-arguments.ts';

/** The arguments of NodeAffinity, as in NodeAffinityArgs. */
export interface NodeAffinityArgs {
  /** Applies to all pods of the profile in addition to their own node affinity. */
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

/** Reads the arguments of NodeAffinity from a profile. */
export function readNodeAffinityArgs(args: unknown): DeepReadonly<NodeAffinity> {
  const given = (args ?? {}) as NodeAffinityArgs;
  refuseArguments('NodeAffinity', nodeAffinityArgsErrors(given));
  return given.addedAffinity ?? {};
}

/** Validates the arguments, in kube-scheduler's words. Empty terms are allowed. */
export function nodeAffinityArgsErrors({ addedAffinity = {} }: NodeAffinityArgs, path = ''): SettingProblem[] {
  const added = childPath(path, 'addedAffinity');
  const required = addedAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = addedAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const requiredPath = `${added}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredPath = `${added}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...required.flatMap((term, index) => termErrors(term, `${requiredPath}[${index}]`)),
    ...preferred.flatMap(({ weight = 0, preference = {} }, index) =>
      weight === 0 ? [] : termErrors(preference, `${preferredPath}[${index}]`),
    ),
  ];
}

function termErrors(
  { matchExpressions = [], matchFields = [] }: DeepReadonly<NodeSelectorTerm>,
  path: string,
): SettingProblem[] {
  return [
    ...matchExpressions.flatMap((one, index) => labelErrors(one, `${path}.matchExpressions[${index}]`)),
    ...matchFields.flatMap((one, index) => nameErrors(one, `${path}.matchFields[${index}]`)),
  ];
}

type Requirement = DeepReadonly<NodeSelectorRequirement>;

function labelErrors({ key = '', operator, values = [] }: Requirement, path: string): SettingProblem[] {
  const known = OPERATORS.get(operator);
  if (known === undefined) return [notSupported(`${path}.operator`, operator ?? '', [...OPERATORS.keys()])];
  return requirementProblems({ key, operator: known, values: [...values] }).map((problem) => `${path}.${problem}`);
}

/** A field requirement takes exactly one value. */
function nameErrors({ operator, values = [] }: Requirement, path: string): SettingProblem[] {
  if (!FIELD_OPERATORS.includes(operator)) return [notSupported(`${path}.operator`, operator ?? '', FIELD_OPERATORS)];
  if (values.length === 1) return [];
  return [invalidValue(`${path}.values`, values.length === 0 ? null : values, 'must have one element')];
}
