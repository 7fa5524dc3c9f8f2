import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../api/types/autoscaling/v2.d.ts';
import { each, NONE, UNKNOWN } from './column.ts';

const MOST_SHOWN = 2;

/** What an autoscaler measures and what it aims at: `cpu: 35%/80%`; the first two. */
export function metricTargets({ spec, status }: HorizontalPodAutoscaler): string {
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
