import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../api/types/autoscaling/v2.d.ts';

/** What a partly given behavior does about the rest: grow fast and at once, shrink freely after a while. */
export function defaultBehavior(behavior: HorizontalPodAutoscalerBehavior): void {
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
