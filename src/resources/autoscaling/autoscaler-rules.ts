import {
  asJson,
  dns1123LabelProblems,
  forbiddenField,
  invalidValue,
  notSupported,
  parseGroupVersion,
  pathSegmentNameProblems,
  required,
  sentEmpty,
  ValueError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../../api/types/autoscaling/v2.d.ts';
import { amount } from '../core/resource-list.ts';
import { checkContainerResourceName } from '../core/resource-rules.ts';
import type { Whole } from '../kind.ts';

type Autoscaler = Whole<HorizontalPodAutoscaler>;
type Spec = Autoscaler['spec'];

/** The fewest replicas that an autoscaler may ask for: 0 where the feature to scale to zero is on. */
export type FewestReplicas = 0 | 1;

/** The rules of a new autoscaler. */
export function checkAutoscaler({ spec }: Autoscaler, fewest: FewestReplicas): FieldError[] {
  return checkSpec(spec, undefined, fewest);
}

/** The rules of a changed one, which may keep references that were accepted by older rules. */
export function checkAutoscalerUpdate(
  { spec }: Autoscaler,
  { spec: old }: Autoscaler,
  fewest: FewestReplicas,
): FieldError[] {
  return checkSpec(spec, old, fewest);
}

export function checkAutoscalerStatus({ status }: Autoscaler): FieldError[] {
  return (['currentReplicas', 'desiredReplicas'] as const).flatMap((name) => {
    const value = status[name] ?? 0;
    return value < 0 ? [invalidValue(`status.${name}`, value, 'must be greater than or equal to 0')] : [];
  });
}

function checkSpec(spec: Spec, old: Spec | undefined, fewest: FewestReplicas): FieldError[] {
  const { scaleTargetRef: target, metrics = [], behavior } = spec;
  const was = old?.scaleTargetRef;
  const isSameTarget = was !== undefined && was.kind === target.kind && was.apiVersion === target.apiVersion;
  const ofTarget = isSameTarget ? 'any' : target.kind === 'ReplicationController' ? 'valid' : 'grouped';
  const ofObjects = (old?.metrics ?? []).some(describesByBadVersion) ? 'any' : 'valid';
  return [
    ...checkReplicas(spec, fewest),
    ...checkReference(target, 'spec.scaleTargetRef', ofTarget),
    ...metrics.flatMap((metric, index) => checkMetric(metric, `spec.metrics[${index}]`, ofObjects)),
    ...checkScaleToZero(spec),
    ...checkRules(behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...checkRules(behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

function checkReplicas({ minReplicas, maxReplicas }: Spec, fewest: FewestReplicas): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'spec.maxReplicas';
  const least = 'must be greater than or equal to 1';
  if (minReplicas !== undefined && minReplicas < fewest) {
    errors.push(invalidValue('spec.minReplicas', minReplicas, `must be greater than or equal to ${fewest}`));
  }
  if ((maxReplicas ?? 0) === 0) errors.push(required(field, 'must be set and greater than 0'));
  else if (maxReplicas < 0) errors.push(invalidValue(field, maxReplicas, least));
  if (minReplicas !== undefined && (maxReplicas ?? 0) < minReplicas) {
    errors.push(invalidValue(field, maxReplicas ?? 0, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** A workload with no pods has no usage: scaling to zero needs an object or external metric. */
function checkScaleToZero({ minReplicas, metrics = [] }: Spec): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return [];
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', detail)];
}

/** Which API versions a reference may have: those of a group, those that can be read, or any at all. */
type Versions = 'grouped' | 'valid' | 'any';

function checkReference(reference: CrossVersionObjectReference, field: string, versions: Versions): FieldError[] {
  return [
    ...checkSegment(reference.kind, `${field}.kind`),
    ...checkSegment(reference.name, `${field}.name`),
    ...checkVersion(reference.apiVersion ?? '', `${field}.apiVersion`, versions),
  ];
}

function checkSegment(value: string | undefined, field: string, missing = ''): FieldError[] {
  if (value === undefined || value === '') return [required(field, missing)];
  return pathSegmentNameProblems(value).map((problem) => invalidValue(field, value, problem));
}

function checkVersion(apiVersion: string, field: string, versions: Versions): FieldError[] {
  if (versions === 'any') return [];
  const parsed = parseGroupVersion(apiVersion);
  if (parsed instanceof ValueError) return [invalidValue(field, apiVersion, parsed.message)];
  if (parsed.group !== '' || versions === 'valid') return [];
  return [invalidValue(field, apiVersion, 'apiVersion must specify API group')];
}

/** A metric that was stored with such a version lets updates keep any. */
function describesByBadVersion({ type, object }: MetricSpec): boolean {
  return type === 'Object' && checkVersion(object?.describedObject.apiVersion ?? '', '', 'valid').length > 0;
}

/** In the order in which upstream looks at them: of several, only the first is checked. */
const SOURCES = {
  object: 'Object',
  external: 'External',
  pods: 'Pods',
  resource: 'Resource',
  containerResource: 'ContainerResource',
} as const;
type Source = keyof typeof SOURCES;
const SOURCE_NAMES = Object.keys(SOURCES) as readonly Source[];
const SOURCE_TYPES: readonly string[] = Object.values(SOURCES).toSorted();

function checkMetric(metric: MetricSpec, field: string, versions: Versions): FieldError[] {
  const type: string = metric.type ?? '';
  const expected = SOURCE_NAMES.find((name) => SOURCES[name] === type);
  const given = SOURCE_NAMES.filter((name) => metric[name] !== undefined);
  const [first] = given;
  const unknown = (): FieldError[] =>
    expected === undefined ? [notSupported(`${field}.type`, asJson(type ?? ''), SOURCE_TYPES)] : [];
  const errors = [
    ...(type === '' ? [required(`${field}.type`, 'must specify a metric source type')] : []),
    ...unknown(),
    ...(first === undefined ? [] : checkSource(metric, { source: first, field: `${field}.${first}`, versions })),
    ...unknown(), // upstream reports the type twice
  ];
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

interface CheckedSource {
  readonly source: Source;
  readonly field: string;
  readonly versions: Versions;
}

function checkSource(metric: MetricSpec, { source, field, versions }: CheckedSource): FieldError[] {
  const target = metric[source]?.target ?? ({} as MetricTarget);
  return [
    ...checkMeasured(metric, { source, field, versions }),
    ...checkTarget(target, `${field}.target`),
    ...checkGoal(target, source, `${field}.target`),
  ];
}

/** What is measured: an object and a metric, a metric alone, or a resource. */
function checkMeasured(metric: MetricSpec, { source, field, versions }: CheckedSource): FieldError[] {
  switch (source) {
    case 'object': {
      const described = metric.object?.describedObject ?? { kind: '', name: '' };
      return [
        ...checkReference(described, `${field}.describedObject`, versions),
        ...checkIdentifier(metric.object?.metric, `${field}.metric`),
      ];
    }
    case 'external':
    case 'pods':
      return checkIdentifier(metric[source]?.metric, `${field}.metric`);
    case 'resource':
      return (metric.resource?.name ?? '') === '' ? [required(`${field}.name`, RESOURCE)] : [];
    case 'containerResource': {
      const { name = '', container = '' } = metric.containerResource ?? {};
      return [
        ...(name === '' ? [required(`${field}.name`, RESOURCE)] : checkContainerResourceName(name, `${field}.name`)),
        ...(container === '' ? [required(`${field}.container`, 'must specify a container')] : []),
        ...(container === ''
          ? []
          : dns1123LabelProblems(container).map((problem) => invalidValue(`${field}.container`, container, problem))),
      ];
    }
  }
}

const RESOURCE = 'must specify a resource name';

function checkIdentifier(metric: MetricIdentifier | undefined, field: string): FieldError[] {
  return checkSegment(metric?.name, `${field}.name`, 'must specify a metric name');
}

const TARGET_TYPES = new Set(['Utilization', 'Value', 'AverageValue']);

function checkTarget(target: MetricTarget, field: string): FieldError[] {
  const { type = '', value, averageValue, averageUtilization: share } = target;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.has(type)) {
    errors.push(invalidValue(`${field}.type`, asJson(type), 'must be either Utilization, Value, or AverageValue'));
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

const MAX_STABILIZATION_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];

function checkRules(rules: HPAScalingRules | undefined, field: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  const window = `${field}.stabilizationWindowSeconds`;
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds < 0) {
    errors.push(invalidValue(window, seconds, 'must be greater than or equal to zero'));
  }
  if (seconds !== undefined && seconds > MAX_STABILIZATION_SECONDS) {
    errors.push(invalidValue(window, seconds, `must be less than or equal to ${MAX_STABILIZATION_SECONDS}`));
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    errors.push(notSupported(`${field}.selectPolicy`, asJson(selectPolicy ?? ''), SELECT_POLICIES));
  }
  if (policies.length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  errors.push(...policies.flatMap((policy, index) => checkPolicy(policy, `${field}.policies[${index}]`)));
  if (tolerance !== undefined && amount(tolerance).sign < 0) {
    errors.push(invalidValue(`${field}.tolerance`, tolerance, 'must be greater than or equal to 0'));
  }
  return errors;
}

function checkPolicy(policy: HPAScalingPolicy, field: string): FieldError[] {
  const { type = '', value = 0, periodSeconds = 0 } = policy;
  const errors: FieldError[] = [];
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`${field}.type`, asJson(type ?? ''), POLICY_TYPES));
  if (value <= 0) errors.push(invalidValue(`${field}.value`, value, 'must be greater than zero'));
  const period = `${field}.periodSeconds`;
  if (periodSeconds <= 0) errors.push(invalidValue(period, periodSeconds, 'must be greater than zero'));
  if (periodSeconds > MAX_PERIOD_SECONDS) {
    errors.push(invalidValue(period, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  }
  return errors;
}

/** Whether rules have policies of their own: also an empty list that was sent, which is then refused. */
export function hasPolicies(rules: HPAScalingRules): boolean {
  return rules.policies !== undefined || sentEmpty(rules, 'policies') !== null;
}
