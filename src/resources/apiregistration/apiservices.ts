import { formatTime, instantOfMillis } from '../../api/index.ts';
import type { APIService } from '../../api/types/apiregistration/v1.d.ts';
import { apiServiceColumns } from '../columns/apiserver-columns.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { checkApiService } from './apiservice-rules.ts';

export const apiServices = defineKind<APIService>({
  group: 'apiregistration.k8s.io',
  plural: 'apiservices',
  columns: apiServiceColumns,
  folder: 'apiregistration.k8s.io/apiservices',
  checkName: pathSegmentName,
  requiresResourceVersion: true,
  statusMetadata: 'owners',
  judges: ['spec.version'],

  /** What this server answers itself is there at once; the others are probed. */
  prepareForCreate(service, { now }) {
    if (service.spec.service !== undefined) return;
    const condition = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(instantOfMillis(now)),
      reason: 'Local',
      message: 'Local APIServices are always available',
    } as const;
    service.status = { conditions: [condition] };
  },

  validate: checkApiService,
});
