import { type ObjectMeta, withMeta } from '../../api/index.ts';
import type { HorizontalPodAutoscaler as AutoscalerV1 } from '../../api/types/autoscaling/v1.d.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricSpec,
} from '../../api/types/autoscaling/v2.d.ts';
import type { Conversion, Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import {
  annotationOfMetric,
  annotationOfStatus,
  metricOfAnnotation,
  statusOfAnnotation,
} from './metric-annotations.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;

const ROUND_TRIP = new Set([
  METRICS,
  CURRENT_METRICS,
  CONDITIONS,
  BEHAVIOR,
  `${PREFIX}scale-down-tolerance`,
  `${PREFIX}scale-up-tolerance`,
]);

const DEFAULT_CPU_PERCENT = 80;

/** Removes the annotations in which v1 keeps what it has no fields for; no other version shows them. */
export function withoutRoundTripAnnotations(metadata: ObjectMeta): ObjectMeta {
  const { annotations } = metadata;
  if (annotations === undefined || !Object.keys(annotations).some((name) => ROUND_TRIP.has(name))) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !ROUND_TRIP.has(name));
  return withMeta(metadata, { annotations: kept.length === 0 ? undefined : Object.fromEntries(kept) });
}

/** Converts between autoscaling/v1 and the stored v2. */
export const autoscalerConversion: Conversion = {
  toStored(object) {
    const { metadata, spec, status } = object as unknown as Whole<AutoscalerV1>;
    const { targetCPUUtilizationPercentage: percent, ...rest } = spec;
    const { currentCPUUtilizationPercentage: current, ...numbers } = status;
    const { annotations = {} } = metadata;
    const others = listIn(annotations[METRICS])?.map(metricOfAnnotation) ?? [];
    const metrics = [...others, ...(percent === undefined ? [] : [cpuMetric(percent)])];
    const measured = listIn(annotations[CURRENT_METRICS])?.map(statusOfAnnotation);
    const behavior = behaviorOfAnnotation(annotations[BEHAVIOR]);
    return {
      ...object,
      metadata: withoutRoundTripAnnotations(metadata),
      spec: {
        ...rest,
        metrics: metrics.length === 0 ? [cpuMetric(DEFAULT_CPU_PERCENT)] : metrics,
        ...(behavior === undefined ? {} : { behavior }),
      },
      status: {
        ...numbers,
        currentMetrics: measured ?? (current === undefined ? undefined : [cpuStatus(current)]),
        conditions: listIn(annotations[CONDITIONS]),
      },
    };
  },

  fromStored(object) {
    const { metadata, spec, status } = object as unknown as Whole<HorizontalPodAutoscaler>;
    const { metrics = [], behavior, ...rest } = spec;
    const { currentMetrics, conditions = [], ...numbers } = status;
    const others = metrics.filter((metric) => cpuPercentOf(metric) === undefined);
    const measured = currentMetrics ?? [];
    const percent = metrics.map(cpuPercentOf).find((value) => value !== undefined);
    const current = measured.findLast(({ type, resource }) => type === 'Resource' && isCpuUse(resource));
    return {
      ...object,
      metadata: annotated(metadata, {
        [METRICS]:
          others.length === 0 ? undefined : JSON.stringify(others.map((metric) => annotationOfMetric({ ...metric }))),
        [CURRENT_METRICS]:
          measured.length === 0
            ? undefined
            : JSON.stringify(measured.map((metric) => annotationOfStatus({ ...metric }))),
        [CONDITIONS]: conditions.length === 0 ? undefined : JSON.stringify(conditions.map(annotationOfCondition)),
        [BEHAVIOR]: behavior === undefined ? undefined : annotationOfBehavior(behavior),
      }),
      spec: { ...rest, ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }) },
      status: {
        ...numbers,
        ...(current === undefined
          ? {}
          : { currentCPUUtilizationPercentage: current.resource?.current.averageUtilization }),
      },
    };
  },
};

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function cpuStatus(averageUtilization: number): Record<string, unknown> {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

function cpuPercentOf({ type, resource }: MetricSpec): number | undefined {
  return type === 'Resource' && resource?.name === 'cpu' ? resource.target.averageUtilization : undefined;
}

function isCpuUse(resource: { name: string; current: { averageUtilization?: number } } | undefined): boolean {
  return resource?.name === 'cpu' && resource.current.averageUtilization !== undefined;
}

function annotationOfCondition(condition: object): Record<string, unknown> {
  const { type, status, lastTransitionTime = null, reason, message } = condition as Record<string, unknown>;
  return {
    type,
    status,
    lastTransitionTime,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** A list of objects in an annotation; undefined if it is unreadable. */
function listIn(text: string | undefined): Record<string, unknown>[] | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as Record<string, unknown>[]) : undefined;
  } catch {
    return undefined; // users may write anything into annotations
  }
}

function annotated(metadata: ObjectMeta, values: Readonly<Record<string, string | undefined>>): ObjectMeta {
  const plain = withoutRoundTripAnnotations(metadata);
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (given.length === 0) return plain;
  return withMeta(plain, { annotations: withEntries(plain.annotations, Object.fromEntries(given)) });
}

/** The behavior as upstream prints its unversioned Go type: capitalized names, and null for absent members. */
function annotationOfBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  return JSON.stringify({ ScaleUp: printedRules(scaleUp), ScaleDown: printedRules(scaleDown) });
}

function printedRules(rules: HPAScalingRules | undefined): unknown {
  if (rules === undefined) return null;
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies, tolerance = null } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ??
      null,
    Tolerance: tolerance,
  };
}

/** Parses it back; undefined if it is unreadable. */
function behaviorOfAnnotation(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Printed | null;
    const scaleUp = readRules(value?.ScaleUp);
    const scaleDown = readRules(value?.ScaleDown);
    if (scaleUp === undefined && scaleDown === undefined) return undefined;
    return { ...(scaleUp === undefined ? {} : { scaleUp }), ...(scaleDown === undefined ? {} : { scaleDown }) };
  } catch {
    return undefined; // users may write anything into annotations
  }
}

interface Printed {
  readonly ScaleUp?: PrintedRules | null;
  readonly ScaleDown?: PrintedRules | null;
}

interface PrintedRules {
  readonly StabilizationWindowSeconds?: number | null;
  readonly SelectPolicy?: string | null;
  readonly Policies?:
    | readonly { readonly Type: string; readonly Value: number; readonly PeriodSeconds: number }[]
    | null;
  readonly Tolerance?: string | null;
}

function readRules(rules: PrintedRules | null | undefined): HPAScalingRules | undefined {
  if (rules === null || rules === undefined) return undefined;
  const { StabilizationWindowSeconds, SelectPolicy, Policies, Tolerance } = rules;
  return {
    ...(StabilizationWindowSeconds === null || StabilizationWindowSeconds === undefined
      ? {}
      : { stabilizationWindowSeconds: StabilizationWindowSeconds }),
    ...(SelectPolicy === null || SelectPolicy === undefined ? {} : { selectPolicy: SelectPolicy }),
    ...(Policies === null || Policies === undefined
      ? {}
      : {
          policies: Policies.map(({ Type, Value, PeriodSeconds }) => ({
            type: Type as never,
            value: Value,
            periodSeconds: PeriodSeconds,
          })),
        }),
    ...(Tolerance === null || Tolerance === undefined ? {} : { tolerance: Tolerance }),
  };
}
