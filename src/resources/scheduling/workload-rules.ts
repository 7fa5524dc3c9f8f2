import { type FieldError, forbiddenField, invalidValue, tooMany } from '../../api/index.ts';
import type { PodGroup, PodGroupTemplate, Workload } from '../../api/types/scheduling/v1alpha3.d.ts';
import { each } from '../columns/column.ts';
import type { Whole } from '../kind.ts';
import { checkUnion } from '../union-rules.ts';

const MAX_TEMPLATES = 8;
const POLICIES = ['basic', 'gang'];
const MODES = ['single', 'all'];

/** The rules of a workload, new or changed: none of its templates can come or go later. */
export function checkWorkload({ spec }: Whole<Workload>, old?: Whole<Workload>): FieldError[] {
  const field = 'spec.podGroupTemplates';
  const templates = each(spec.podGroupTemplates);
  const before = old === undefined ? undefined : each(old.spec.podGroupTemplates);
  return [
    ...checkUnion(spec, 'spec', { members: ['podGroupTemplates', 'compositePodGroupTemplates'], old: old?.spec }),
    ...(templates.length > MAX_TEMPLATES ? [tooMany(field, templates.length, MAX_TEMPLATES)] : []),
    ...(before === undefined ? [] : checkSameNames(templates, before)),
    ...templates.flatMap((template, index) =>
      checkTemplate(
        template,
        `${field}[${index}]`,
        before?.find(({ name }) => name === template.name),
      ),
    ),
    ...checkSamePriority(templates),
  ];
}

function checkSameNames(
  templates: readonly PodGroupTemplate[],
  before: readonly PodGroupTemplate[],
): readonly FieldError[] {
  const [now, then] = [templates, before].map((list) => new Set(list.map(({ name }) => name)));
  return [
    ...templates.flatMap(({ name }, index) =>
      then?.has(name) === true ? [] : [forbiddenField(`spec.podGroupTemplates[${index}]`, 'item may not be added')],
    ),
    ...before.flatMap(({ name }) =>
      now?.has(name) === true ? [] : [forbiddenField('spec.podGroupTemplates', 'item may not be removed')],
    ),
  ];
}

function checkTemplate(template: PodGroupTemplate, field: string, old: PodGroupTemplate | undefined): FieldError[] {
  const { schedulingPolicy, disruptionMode } = template;
  return [
    ...checkUnion(schedulingPolicy ?? {}, `${field}.schedulingPolicy`, {
      members: POLICIES,
      old: old?.schedulingPolicy,
    }),
    ...(disruptionMode === undefined
      ? []
      : checkUnion(disruptionMode, `${field}.disruptionMode`, { members: MODES, old: old?.disruptionMode })),
  ];
}

function checkSamePriority([first, ...others]: readonly PodGroupTemplate[]): FieldError[] {
  const isSame = others.every(
    ({ priority, priorityClassName = '' }) =>
      priority === first?.priority && priorityClassName === (first?.priorityClassName ?? ''),
  );
  return isSame ? [] : [invalidValue('spec', null, 'detected multiple priority configurations')];
}

/** The rules of a group of pods, new or changed. */
export function checkPodGroup({ spec }: Whole<PodGroup>, old?: Whole<PodGroup>): FieldError[] {
  const { schedulingPolicy, disruptionMode } = spec;
  const before = old?.spec;
  return [
    ...checkUnion(schedulingPolicy ?? {}, 'spec.schedulingPolicy', {
      members: POLICIES,
      old: before?.schedulingPolicy,
    }),
    ...(disruptionMode === undefined
      ? []
      : checkUnion(disruptionMode, 'spec.disruptionMode', { members: MODES, old: before?.disruptionMode })),
  ];
}
