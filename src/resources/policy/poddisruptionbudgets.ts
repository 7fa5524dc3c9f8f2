import { type FieldError, invalidValue } from '../../api/index.ts';
import type { PodDisruptionBudget } from '../../api/types/policy/v1.d.ts';
import { checkCountOrPercent, checkNotMoreThanAll } from '../apps/workload-rules.ts';
import { changes } from '../change.ts';
import { checkConditions } from '../condition-rules.ts';
import { ageColumn, column, integer, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { pathSegmentName } from '../name-rules.ts';
import { unversioned } from '../unversioned.ts';

export const podDisruptionBudgets = defineKind<PodDisruptionBudget>({
  changeSteps: ['object'],
  statusSteps: ['object'],
  group: 'policy',
  plural: 'poddisruptionbudgets',
  columns: [
    nameColumn,
    column('Min Available', 'Fewest pods that must stay', ({ spec }) => String(spec?.minAvailable ?? 'N/A')),
    column('Max Unavailable', 'Most pods that may be missing', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A')),
    integer('Allowed Disruptions', 'How many pods may be evicted now', ({ status }) => status?.disruptionsAllowed ?? 0),
    ageColumn,
  ],
  checkName: pathSegmentName,
  metadataRules: 'general',
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkBudget,
  validateStatus: checkBudgetStatus,
});

function checkBudget({ spec }: Whole<PodDisruptionBudget>): FieldError[] {
  const { minAvailable, maxUnavailable, selector } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const detail = 'minAvailable and maxUnavailable cannot be both set';
    errors.push(invalidValue('spec', unversioned(spec, BUDGET_SPEC), detail));
  }
  return [
    ...errors,
    ...checkCountOrPercent(minAvailable, 'spec.minAvailable'),
    ...checkNotMoreThanAll(minAvailable, 'spec.minAvailable'),
    ...checkCountOrPercent(maxUnavailable, 'spec.maxUnavailable'),
    ...checkNotMoreThanAll(maxUnavailable, 'spec.maxUnavailable'),
    ...checkLabelSelector(selector, 'spec.selector'),
  ];
}

const BUDGET_SPEC = { MinAvailable: null, Selector: null, MaxUnavailable: null, UnhealthyPodEvictionPolicy: null };

function checkBudgetStatus({ status }: Whole<PodDisruptionBudget>): FieldError[] {
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return [
    ...checkConditions(status.conditions ?? [], 'status.conditions'),
    ...counts.flatMap((name) => {
      const value = status[name] ?? 0;
      return value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
    }),
  ];
}
