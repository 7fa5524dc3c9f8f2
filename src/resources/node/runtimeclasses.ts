import type { FieldError } from '../../api/index.ts';
import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { checkContainerResourceName, checkResourceAmount } from '../core/resource-rules.ts';
import { checkTolerations } from '../core/toleration-rules.ts';
import { defineKind } from '../kind.ts';

export const runtimeClasses = defineKind<RuntimeClass>({
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
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
    ...Object.entries(overhead?.podFixed ?? {}).flatMap(([name, text]) => [
      ...checkContainerResourceName(name, `overhead.limits[${name}]`),
      ...checkResourceAmount(name, text, `overhead.limits[${name}]`),
    ]),
    ...checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'),
    ...checkTolerations(scheduling?.tolerations ?? [], 'scheduling.tolerations'),
  ];
}
