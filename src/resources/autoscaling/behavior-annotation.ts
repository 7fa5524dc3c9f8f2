import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../api/types/autoscaling/v2.d.ts';

/** The behavior as upstream prints its unversioned Go type: capital names, and null for what is absent. */
export function annotationOfBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
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

/** Reads it back; what cannot be read is taken as not there. */
export function behaviorOfAnnotation(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Printed | null;
    const scaleUp = readRules(value?.ScaleUp);
    const scaleDown = readRules(value?.ScaleDown);
    if (scaleUp === undefined && scaleDown === undefined) return undefined;
    return { ...(scaleUp === undefined ? {} : { scaleUp }), ...(scaleDown === undefined ? {} : { scaleDown }) };
  } catch {
    return undefined; // anybody may write annotations
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
