import type { ApiObject } from '../../api/index.ts';
import type { Scale } from '../../api/types/autoscaling/v1.d.ts';
import type { HorizontalPodAutoscaler } from '../../api/types/autoscaling/v2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { autoscalerConversion } from '../autoscaling/autoscaler-conversion.ts';
import { ageColumn, column, integer, nameColumn, UNSET } from './column.ts';
import { metricTargets } from './metric-targets.ts';

export const horizontalPodAutoscalerColumns: readonly Column[] = [
  nameColumn,
  column<HorizontalPodAutoscaler>('Reference', 'What is scaled', reference),
  column<ApiObject>('Targets', 'What is measured, and what it should be', targets),
  column<HorizontalPodAutoscaler>('MinPods', 'Fewest pods', ({ spec }) => String(spec?.minReplicas ?? UNSET)),
  column<HorizontalPodAutoscaler>('MaxPods', 'Most pods', ({ spec }) => spec?.maxReplicas ?? 0),
  column<HorizontalPodAutoscaler>('Replicas', 'Pods there are now', ({ status }) => status?.currentReplicas ?? 0),
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
  integer<Scale>('Desired', 'How many pods there should be', ({ spec }) => spec?.replicas ?? 0),
  integer<Scale>('Available', 'How many pods there are', ({ status }) => status?.replicas ?? 0),
  ageColumn,
];
