import type { ApiObject } from '../../api/index.ts';
import type { Scale } from '../../api/types/autoscaling/v1.d.ts';
import type { HorizontalPodAutoscaler } from '../../api/types/autoscaling/v2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { autoscalerConversion } from '../autoscaling/autoscaler-conversion.ts';
import { ageColumn, column, nameColumn, UNSET } from './column.ts';
import { metricTargets } from './metric-targets.ts';

export const horizontalPodAutoscalerColumns: readonly Column[] = [
  nameColumn,
  column<HorizontalPodAutoscaler>('Reference', reference, { description: 'What is scaled' }),
  column<ApiObject>('Targets', targets, { description: 'What is measured, and what it should be' }),
  column<HorizontalPodAutoscaler>('MinPods', ({ spec }) => String(spec?.minReplicas ?? UNSET), {
    description: 'Fewest pods',
  }),
  column<HorizontalPodAutoscaler>('MaxPods', ({ spec }) => spec?.maxReplicas ?? 0, { description: 'Most pods' }),
  column<HorizontalPodAutoscaler>('Replicas', ({ status }) => status?.currentReplicas ?? 0, {
    description: 'Pods there are now',
  }),
  ageColumn,
];

function reference({ spec }: HorizontalPodAutoscaler): string {
  const target = spec?.scaleTargetRef;
  return `${target?.kind ?? ''}/${target?.name ?? ''}`;
}

/** The old version has its metrics in annotations. */
function targets(object: ApiObject): string {
  const autoscaler = object.apiVersion === 'autoscaling/v1' ? autoscalerConversion.toStored(object) : object;
  return metricTargets(autoscaler as unknown as HorizontalPodAutoscaler);
}

export const scaleColumns: readonly Column[] = [
  { ...nameColumn, format: '' },
  column<Scale>('Desired', ({ spec }) => spec?.replicas ?? 0, {
    type: 'integer',
    description: 'How many pods there should be',
  }),
  column<Scale>('Available', ({ status }) => status?.replicas ?? 0, {
    type: 'integer',
    description: 'How many pods there are',
  }),
  ageColumn,
];
