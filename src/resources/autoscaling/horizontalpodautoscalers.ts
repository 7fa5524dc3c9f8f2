import { type ApiObject, defaultFeatures } from '../../api/index.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
} from '../../api/types/autoscaling/v2.d.ts';
import { ageColumn, column, each, nameColumn, NONE, UNKNOWN, UNSET } from '../columns/column.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { changes } from '../change.ts';
import { defineKind, type Kind } from '../kind.ts';
import { checkAutoscaler, checkAutoscalerStatus, checkAutoscalerUpdate, hasPolicies } from './autoscaler-rules.ts';
import { autoscalerConversion, withoutRoundTripAnnotations } from './autoscaler-conversion.ts';

export const horizontalPodAutoscalers = ({ types }: KindEnvironment): Kind => {
  const features = defaultFeatures(types.version);
  const fewest = features.get('HPAScaleToZero') === true ? 0 : 1;
  return defineKind<HorizontalPodAutoscaler>({
    group: 'autoscaling',
    plural: 'horizontalpodautoscalers',
    columns: [
      nameColumn,
      column('Reference', 'What is scaled', reference),
      column('Targets', 'What is measured, and what it should be', targets),
      column('MinPods', 'Fewest pods', ({ spec }) => String(spec?.minReplicas ?? UNSET)),
      column('MaxPods', 'Most pods', ({ spec }) => spec?.maxReplicas ?? 0),
      column('Replicas', 'Pods there are now', ({ status }) => status?.currentReplicas ?? 0),
      ageColumn,
    ],
    storedVersion: 'v2',
    ...(features.get('HPAGeneration') === true ? { raisesGeneration: changes('spec') } : {}),
    conversions: { v1: autoscalerConversion },

    applyDefaults(autoscaler) {
      if (autoscaler.apiVersion !== 'autoscaling/v2') return; // v1 gets its defaults when it is converted
      autoscaler.metadata = withoutRoundTripAnnotations(autoscaler.metadata);
      if (autoscaler.spec.behavior !== undefined) defaultBehavior(autoscaler.spec.behavior);
    },

    validate: (autoscaler) => checkAutoscaler(autoscaler, fewest),
    validateUpdate: (autoscaler, old) => checkAutoscalerUpdate(autoscaler, old, fewest),
    validateStatus: checkAutoscalerStatus,
  });
};

/** Completes a partial behavior: scaling up is fast and immediate, scaling down unlimited after a while. */
function defaultBehavior(behavior: HorizontalPodAutoscalerBehavior): void {
  const { scaleUp, scaleDown } = behavior;
  if (scaleUp !== undefined) {
    scaleUp.stabilizationWindowSeconds ??= 0;
    fillPolicies(scaleUp, [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ]);
  }
  if (scaleDown !== undefined) fillPolicies(scaleDown, [{ type: 'Percent', value: 100, periodSeconds: 15 }]);
}

function fillPolicies(rules: HPAScalingRules, policies: NonNullable<HPAScalingRules['policies']>): void {
  if (!hasPolicies(rules)) rules.policies = policies;
}

function reference({ spec }: HorizontalPodAutoscaler): string {
  const target = spec?.scaleTargetRef;
  return `${target?.kind ?? ''}/${target?.name ?? ''}`;
}

/** The old version has its metrics in annotations. */
function targets(autoscaler: HorizontalPodAutoscaler): string {
  const object = autoscaler as unknown as ApiObject;
  if (object.apiVersion !== 'autoscaling/v1') return metricTargets(autoscaler);
  return metricTargets(autoscalerConversion.toStored(object) as unknown as HorizontalPodAutoscaler);
}

const MAX_SHOWN = 2;

/** Current and target values of the first two metrics: `cpu: 35%/80%`. */
function metricTargets({ spec, status }: HorizontalPodAutoscaler): string {
  const specs = each(spec?.metrics);
  if (specs.length === 0) return NONE;
  const current = each(status?.currentMetrics);
  const shown = specs.slice(0, MAX_SHOWN).map((metric, index) => target(metric, current[index]));
  const more = specs.length - MAX_SHOWN;
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

/** How Go prints a missing quantity. */
const NO_QUANTITY = '<nil>';

function quantityNow(current: Amounts | undefined, field: 'value' | 'averageValue'): string {
  return current === undefined ? UNKNOWN : (current[field] ?? NO_QUANTITY);
}

/** An object or external metric, as a value or as an average over the pods. */
function measured(aim: Amounts | undefined, current: Amounts | undefined): string {
  if (aim?.averageValue === undefined) return `${quantityNow(current, 'value')}/${aim?.value ?? NO_QUANTITY}`;
  return `${current?.averageValue ?? UNKNOWN}/${aim.averageValue} (avg)`;
}

/** A resource of the pods: as an amount, or in percent of the requests. */
function used(
  metric: { readonly name: string; readonly target: Amounts } | undefined,
  current: Amounts | undefined,
): string {
  const { name = '', target: aim = {} } = metric ?? {};
  if (aim.averageValue !== undefined) return `${name}: ${quantityNow(current, 'averageValue')}/${aim.averageValue}`;
  const percent = current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  return `${name}: ${percent}/${aim.averageUtilization === undefined ? '<auto>' : `${aim.averageUtilization}%`}`;
}
