import type { HorizontalPodAutoscalerSpec, MetricSpec, MetricTarget } from '../../../api/types/autoscaling/v2.d.ts';
import { HorizontalPodAutoscaler } from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

export const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } as const;

/** Creates an autoscaler of the Deployment `web`, from one to ten replicas, and lets it sync. */
export async function autoscale(
  world: ScenarioWorld,
  metrics: MetricSpec[],
  { name = 'web', ...spec }: Partial<HorizontalPodAutoscalerSpec> & { readonly name?: string } = {},
): Promise<void> {
  await world.create(HorizontalPodAutoscaler, {
    metadata: { name },
    spec: { scaleTargetRef: WEB, minReplicas: 1, maxReplicas: 10, metrics, ...spec },
  });
  await world.pass(8);
}

export function utilization(averageUtilization: number, name = 'cpu'): MetricSpec {
  return { type: 'Resource', resource: { name, target: { type: 'Utilization', averageUtilization } } };
}

export function average(averageValue: string, name: string): MetricSpec {
  return { type: 'Resource', resource: { name, target: { type: 'AverageValue', averageValue } } };
}

export function ofContainer(container: string, averageUtilization: number): MetricSpec {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'ContainerResource', containerResource: { name: 'cpu', container, target } };
}

export function external(target: MetricTarget, metric: { name?: string; selector?: object } = {}): MetricSpec {
  return { type: 'External', external: { metric: { name: 'queue-length', ...metric }, target } };
}

export function ofObject(
  target: MetricTarget,
  describedObject: { kind: string; name: string; apiVersion?: string },
): MetricSpec {
  return { type: 'Object', object: { metric: { name: 'requests' }, target, describedObject } };
}

export const value = (amount: string): MetricTarget => ({ type: 'Value', value: amount });
export const share = (amount: string): MetricTarget => ({ type: 'AverageValue', averageValue: amount });
