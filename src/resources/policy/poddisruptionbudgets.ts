import type { PodDisruptionBudget } from '../../api/types/policy/v1.d.ts';
import { podDisruptionBudgetColumns } from '../columns/scheduling-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { checkBudget, checkBudgetStatus } from './poddisruptionbudget-rules.ts';

export const podDisruptionBudgets = defineKind<PodDisruptionBudget>({
  group: 'policy',
  plural: 'poddisruptionbudgets',
  columns: podDisruptionBudgetColumns,
  checkName: pathSegmentName,
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkBudget,
  validateStatus: checkBudgetStatus,
});
