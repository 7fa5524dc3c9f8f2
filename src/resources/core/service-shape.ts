import type { Service, ServiceSpec } from '../../api/types/core/v1.d.ts';

/** Questions about a service that its rules share, mostly answered by its type. */
export const HEADLESS = 'None';

type HasSpec = Pick<Required<Service>, 'spec'>;

export function isExternalName({ spec }: HasSpec): boolean {
  return spec.type === 'ExternalName';
}

/** Whether it has no cluster address, so that its name resolves to its pods. */
export function isHeadless({ spec }: HasSpec): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === HEADLESS;
}

export function usesNodePorts({ spec }: HasSpec): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Whether ports without a node port get one. */
export function wantsNodePorts({ spec }: HasSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Whether load balancers need a health check to find the nodes with pods, because traffic must stay on its node. */
export function needsHealthCheck({ spec }: HasSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

export function isReachableFromOutside({ spec }: HasSpec): boolean {
  return usesNodePorts({ spec }) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
}

export function nodePortsOf({ ports = [] }: ServiceSpec): number[] {
  return [...new Set(ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])))];
}

/** The addresses of a service: none if it is headless or external. */
export function addressesOf(service: HasSpec): readonly string[] {
  if (isExternalName(service) || isHeadless(service)) return [];
  return service.spec.clusterIPs ?? [];
}

export function sameList(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
