import type { HorizontalPodAutoscaler } from '../../api/types/autoscaling/v2.d.ts';
import { horizontalPodAutoscalerColumns } from '../columns/autoscaling-columns.ts';
import { defineKind } from '../kind.ts';
import { autoscalerConversion, withoutRoundTripAnnotations } from './autoscaler-conversion.ts';
import { checkAutoscaler, checkAutoscalerStatus, checkAutoscalerUpdate } from './horizontalpodautoscaler-rules.ts';
import { defaultBehavior } from './scaling-behavior.ts';

export const horizontalPodAutoscalers = defineKind<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  plural: 'horizontalpodautoscalers',
  columns: horizontalPodAutoscalerColumns,
  storedVersion: 'v2',
  conversions: { v1: autoscalerConversion },

  applyDefaults(autoscaler) {
    if (autoscaler.apiVersion !== 'autoscaling/v2') return; // v1 becomes whole when it is converted
    autoscaler.metadata = withoutRoundTripAnnotations(autoscaler.metadata);
    if (autoscaler.spec.behavior !== undefined) defaultBehavior(autoscaler.spec.behavior);
  },

  validate: checkAutoscaler,
  validateUpdate: checkAutoscalerUpdate,
  validateStatus: checkAutoscalerStatus,
});
