import { forbiddenField, invalidValue, parseGroupVersion, required, ValueError } from '../../api/index.ts';
import type { ApiObject, FieldError } from '../../api/index.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from '../../api/types/autoscaling/v2.d.ts';
import { ageColumn, column, each, nameColumn, NONE, UNKNOWN, UNSET } from '../columns/column.ts';
import { amount } from '../core/resource-list.ts';
import { defineKind, type Whole } from '../kind.ts';
import { autoscalerConversion, withoutRoundTripAnnotations } from './autoscaler-conversion.ts';

export const horizontalPodAutoscalers = defineKind<HorizontalPodAutoscaler>({
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
  conversions: { v1: autoscalerConversion },

  applyDefaults(autoscaler) {
    if (autoscaler.apiVersion !== 'autoscaling/v2') return; // v1 gets its defaults when it is converted
    autoscaler.metadata = withoutRoundTripAnnotations(autoscaler.metadata);
    if (autoscaler.spec.behavior !== undefined) defaultBehavior(autoscaler.spec.behavior);
  },

  validate: checkAutoscaler,
  validateUpdate: checkAutoscalerUpdate,
  validateStatus: checkAutoscalerStatus,
});

type Autoscaler = Whole<HorizontalPodAutoscaler>;

function checkAutoscaler({ spec }: Autoscaler): FieldError[] {
  return checkAll(spec, undefined);
}

function checkAutoscalerUpdate({ spec }: Autoscaler, old: Autoscaler): FieldError[] {
  return checkAll(spec, old.spec);
}

type Spec = Autoscaler['spec'];

function checkAll(spec: Spec, old: Spec | undefined): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  const isSameTarget =
    old?.scaleTargetRef.kind === scaleTargetRef.kind && old.scaleTargetRef.apiVersion === scaleTargetRef.apiVersion;
  const errors: FieldError[] = [];
  if (maxReplicas < 0) errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return [
    ...errors,
    ...(isSameTarget ? [] : checkReference(scaleTargetRef, 'spec.scaleTargetRef')),
    ...metrics.flatMap((metric, index) => checkMetric(metric, `spec.metrics[${index}]`)),
    ...checkScaleToZero(spec),
    ...checkRules(behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...checkRules(behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

/** A workload with no pods has no usage: scaling to zero needs an object or external metric. */
function checkScaleToZero({ minReplicas, metrics = [] }: Spec): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return [];
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', detail)];
}

/** Of the core group, only ReplicationControllers can be scaled. */
function checkReference({ kind, apiVersion = '' }: CrossVersionObjectReference, field: string): FieldError[] {
  const parsed = parseGroupVersion(apiVersion);
  if (parsed instanceof ValueError) return [invalidValue(`${field}.apiVersion`, apiVersion, parsed.message)];
  if (parsed.group !== '' || kind === 'ReplicationController') return [];
  return [invalidValue(`${field}.apiVersion`, apiVersion, 'apiVersion must specify API group')];
}

function checkRules(rules: HPAScalingRules | undefined, field: string): FieldError[] {
  if (rules === undefined || (rules.policies ?? []).length > 0) return [];
  return [required(`${field}.policies`, 'must specify at least one Policy')];
}

const SOURCES = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  External: 'external',
  ContainerResource: 'containerResource',
} as const;
type Source = (typeof SOURCES)[keyof typeof SOURCES];

function checkMetric(metric: MetricSpec, field: string): FieldError[] {
  const expected: Source | undefined = SOURCES[metric.type as keyof typeof SOURCES];
  const given = Object.values(SOURCES).filter((name) => metric[name] !== undefined);
  const [first] = given;
  const errors = given.length === 1 && first !== undefined ? checkSource(metric, first, `${field}.${first}`) : [];
  if (expected !== undefined && metric[expected] === undefined) {
    errors.push(required(`${field}.${expected}`, 'must populate information for the given metric source'));
  }
  if (given.length === 1) return errors;
  const others = given.filter((name) => name !== expected);
  return [
    ...errors,
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'must populate the given metric source only')),
  ];
}

function checkSource(metric: MetricSpec, source: Source, field: string): FieldError[] {
  const target = metric[source]?.target;
  if (target === undefined) return [];
  const at = `${field}.target`;
  return [...checkTarget(target, at), ...checkGoal(target, source, at)];
}

const TARGET_TYPES = new Set(['Utilization', 'Value', 'AverageValue']);

function checkTarget(target: MetricTarget, field: string): FieldError[] {
  const { type, value, averageValue, averageUtilization: share } = target;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.has(type)) {
    errors.push(invalidValue(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const [name, text] of Object.entries({ value, averageValue })) {
    if (text !== undefined && amount(text).sign <= 0) {
      errors.push(invalidValue(`${field}.${name}`, text, 'must be positive'));
    }
  }
  if (share !== undefined && share < 1) {
    errors.push(invalidValue(`${field}.averageUtilization`, share, 'must be greater than 0'));
  }
  return errors;
}

function checkGoal(
  { value, averageValue, averageUtilization }: MetricTarget,
  source: Source,
  field: string,
): FieldError[] {
  switch (source) {
    case 'object':
      if (value !== undefined || averageValue !== undefined) return [];
      return [required(`${field}.averageValue`, 'must set either a target value or averageValue')];
    case 'external':
      if (value !== undefined && averageValue !== undefined) {
        return [forbiddenField(`${field}.value`, 'may not set both a target value for metric and a per-pod target')];
      }
      if (value !== undefined || averageValue !== undefined) return [];
      return [required(`${field}.averageValue`, 'must set either a target value for metric or a per-pod target')];
    case 'pods':
      if (averageValue !== undefined) return [];
      return [required(`${field}.averageValue`, 'must specify a positive target averageValue')];
    case 'resource':
    case 'containerResource':
      if (averageUtilization !== undefined && averageValue !== undefined) {
        const detail = 'may not set both a target raw value and a target utilization';
        return [forbiddenField(`${field}.averageValue`, detail)];
      }
      if (averageUtilization !== undefined || averageValue !== undefined) return [];
      return [required(`${field}.averageUtilization`, 'must set either a target raw value or a target utilization')];
  }
}

function checkAutoscalerStatus({ status }: Autoscaler): FieldError[] {
  return (['currentReplicas', 'desiredReplicas'] as const).flatMap((name) => {
    const value = status[name] ?? 0;
    return value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
  });
}

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
  rules.policies ??= policies;
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
