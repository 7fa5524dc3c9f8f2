import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import { runtimeClassColumns } from '../columns/node-columns.ts';
import { defineKind } from '../kind.ts';
import { checkRuntimeClass } from './runtimeclass-rules.ts';

export const runtimeClasses = defineKind<RuntimeClass>({
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  columns: runtimeClassColumns,
  createOnUpdate: true,
  requiresResourceVersion: true,
  validate: checkRuntimeClass,
});
