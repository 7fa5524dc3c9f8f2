import type { FlowSchema, PriorityLevelConfiguration } from '../../api/types/flowcontrol/v1.d.ts';
import { byPrecedence, flowSchemaColumns, priorityLevelConfigurationColumns } from '../columns/flowcontrol-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkFlowSchema } from './flowschema-rules.ts';
import { checkPriorityLevel } from './prioritylevel-rules.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';

/** How requests are sorted into flows, and how much of the server each level of priority gets. */
export const flowSchemas = defineKind<FlowSchema>({
  group: GROUP,
  plural: 'flowschemas',
  columns: flowSchemaColumns,
  compareRows: byPrecedence,
  statusMetadata: 'all',
  raisesGeneration: changes('spec'),
  validate: checkFlowSchema,
});

export const priorityLevelConfigurations = defineKind<PriorityLevelConfiguration>({
  group: GROUP,
  plural: 'prioritylevelconfigurations',
  columns: priorityLevelConfigurationColumns,
  statusMetadata: 'all',
  raisesGeneration: changes('spec'),
  validate: checkPriorityLevel,
});
