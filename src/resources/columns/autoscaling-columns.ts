import type { ApiObject } from '../../api/index.ts';
import type { Scale } from '../../api/types/autoscaling/v1.d.ts';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../api/types/autoscaling/v2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { autoscalerConversion } from '../autoscaling/autoscaler-conversion.ts';
import { ageColumn, column, each, integer, nameColumn, NONE, UNKNOWN, UNSET } from './column.ts';

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

const MOST_SHOWN = 2;

/** What an autoscaler measures and what it aims at: `cpu: 35%/80%`; the first two. */
function metricTargets({ spec, status }: HorizontalPodAutoscaler): string {
  const specs = each(spec?.metrics);
  if (specs.length === 0) return NONE;
  const current = each(status?.currentMetrics);
  const shown = specs.slice(0, MOST_SHOWN).map((metric, index) => target(metric, current[index]));
  const more = specs.length - MOST_SHOWN;
  return more > 0 ? `${shown.join(', ')} + ${more} more...` : shown.join(', ');
}

function target(metric: MetricSpec, current: MetricStatus | undefined): string {
  switch (metric.type) {
    case 'External':
      return measured(metric.external?.target, current?.external?.current);
    case 'Object':
      return measured(metric.object?.target, current?.object?.current);
    case 'Pods':
      return `${quantityNow(current?.pods?.current, 'averageValue')}/${metric.pods?.target.averageValue ?? NO_QUANTITY}`;
    case 'Resource':
      return used(metric.resource, current?.resource?.current);
    case 'ContainerResource':
      return used(metric.containerResource, current?.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

interface Amounts {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

/** How Go prints a quantity that is not there. */
const NO_QUANTITY = '<nil>';

function quantityNow(current: Amounts | undefined, field: 'value' | 'averageValue'): string {
  return current === undefined ? UNKNOWN : (current[field] ?? NO_QUANTITY);
}

/** A metric from elsewhere, as a whole or on average over the pods. */
function measured(aim: Amounts | undefined, current: Amounts | undefined): string {
  if (aim?.averageValue === undefined) return `${quantityNow(current, 'value')}/${aim?.value ?? NO_QUANTITY}`;
  return `${current?.averageValue ?? UNKNOWN}/${aim.averageValue} (avg)`;
}

/** A resource of the pods: as an amount, or in percent of what they request. */
function used(
  metric: { readonly name: string; readonly target: Amounts } | undefined,
  current: Amounts | undefined,
): string {
  const { name = '', target: aim = {} } = metric ?? {};
  if (aim.averageValue !== undefined) return `${name}: ${quantityNow(current, 'averageValue')}/${aim.averageValue}`;
  const percent = current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  return `${name}: ${percent}/${aim.averageUtilization === undefined ? '<auto>' : `${aim.averageUtilization}%`}`;
}
