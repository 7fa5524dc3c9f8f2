import type { Service } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { isReachableFromOutside } from './service-shape.ts';

const AFFINITY_SECONDS = 10_800;

export function defaultService({ spec, status }: Whole<Service>): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  }
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  if (isReachableFromOutside({ spec })) spec.externalTrafficPolicy ||= 'Cluster';
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy;
  else spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer?.ingress ?? []) {
    if ((ingress.ip ?? '') !== '') ingress.ipMode ??= 'VIP';
  }
}
