import type { Service, ServiceSpec } from '../../api/types/core/v1.d.ts';

/** What a service is and needs, by its type: the questions that its rules keep asking. */
export const HEADLESS = 'None';

type HasSpec = Pick<Required<Service>, 'spec'>;

export function isExternalName({ spec }: HasSpec): boolean {
  return spec.type === 'ExternalName';
}

/** It has no address of its own: its name leads to its pods directly. */
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

/** Load balancers must find out which nodes have pods, when traffic may not go on to other nodes. */
export function needsHealthCheck({ spec }: HasSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

export function isReachableFromOutside({ spec }: HasSpec): boolean {
  return usesNodePorts({ spec }) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
}

export function nodePortsOf({ ports = [] }: ServiceSpec): number[] {
  return [...new Set(ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])))];
}

/** The addresses that a service holds: none when it is headless or only a name. */
export function addressesOf(service: HasSpec): readonly string[] {
  if (isExternalName(service) || isHeadless(service)) return [];
  return service.spec.clusterIPs ?? [];
}

export function sameList(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
