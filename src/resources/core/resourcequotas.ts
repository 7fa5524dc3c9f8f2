import type { ResourceQuota } from '../../api/types/core/v1.d.ts';
import { resourceQuotaColumns } from '../columns/core-columns.ts';
import { defineKind } from '../kind.ts';
import { roundToMilli } from './resource-list.ts';
import { checkResourceQuota, checkResourceQuotaStatus, checkResourceQuotaUpdate } from './resourcequota-rules.ts';

export const resourceQuotas = defineKind<ResourceQuota>({
  group: '',
  plural: 'resourcequotas',
  columns: resourceQuotaColumns,
  judges: ['spec.scopes'],
  returnsDeletedObject: true,

  applyDefaults({ spec, status }) {
    for (const list of [spec.hard, status.hard, status.used]) roundToMilli(list);
  },

  validate: checkResourceQuota,
  validateUpdate: checkResourceQuotaUpdate,
  validateStatus: checkResourceQuotaStatus,
});
