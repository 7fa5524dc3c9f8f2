import { duplicate, type FieldError } from '../../api/index.ts';
import type { Toleration } from '../../api/types/core/v1.d.ts';
import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { checkRequirements } from '../core/resource-rules.ts';
import { checkTolerations } from '../core/toleration-rules.ts';
import { defineKind } from '../kind.ts';
import { unversioned } from '../unversioned.ts';

export const runtimeClasses = defineKind<RuntimeClass>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  allowsAnyFinalizer: true,
  columns: [
    nameColumn,
    column('Handler', 'Configuration of the container runtime', ({ handler }) => handler),
    ageColumn,
  ],
  createOnUpdate: true,
  requiresResourceVersion: true,
  validate: checkRuntimeClass,
});

function checkRuntimeClass({ overhead, scheduling }: RuntimeClass): FieldError[] {
  return [
    ...(overhead === undefined
      ? []
      : checkRequirements({ limits: overhead.podFixed }, 'overhead', { claims: new Set() })),
    ...checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'),
    ...checkTolerations(scheduling?.tolerations ?? [], 'scheduling.tolerations'),
    ...checkUnique(scheduling?.tolerations ?? [], 'scheduling.tolerations'),
  ];
}

const TOLERATION = { Key: '', Operator: '', Value: '', Effect: '', TolerationSeconds: null };

/** Tolerations that differ only in how long they last are the same. */
function checkUnique(tolerations: readonly Toleration[], field: string): FieldError[] {
  const seen = new Set<string>();
  return tolerations.flatMap((toleration, index) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) return [duplicate(`${field}[${index}]`, unversioned(toleration, TOLERATION))];
    seen.add(text);
    return [];
  });
}
