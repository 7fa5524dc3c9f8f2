import type { Service, ServicePort, ServiceSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import {
  isExternalName,
  isReachableFromOutside,
  needsHealthCheck,
  nodePortsOf,
  sameList,
  usesNodePorts,
  wantsNodePorts,
} from './service-shape.ts';

type AnyService = Whole<Service>;

/** What was allotted stays with a service whose writer does not know of it: sending the same manifest again is no change. */
export function keepAllotted(service: AnyService, old: AnyService): void {
  const spec = { ...service.spec };
  if (!isExternalName(old) && !isExternalName(service)) {
    if ((spec.clusterIP ?? '') === '') spec.clusterIP = old.spec.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && (old.spec.clusterIPs ?? []).length > 0) {
      spec.clusterIPs = old.spec.clusterIPs;
    }
  }
  if (wantsNodePorts(old) && wantsNodePorts(service)) spec.ports = withOldNodePorts(spec, old.spec);
  if (needsHealthCheck(old) && needsHealthCheck(service) && (spec.healthCheckNodePort ?? 0) === 0) {
    spec.healthCheckNodePort = old.spec.healthCheckNodePort;
  }
  service.spec = spec;
}

function withOldNodePorts(spec: ServiceSpec, old: ServiceSpec): ServicePort[] | undefined {
  const used = new Set(nodePortsOf(old).filter((port) => nodePortsOf(spec).includes(port)));
  const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  return spec.ports?.map((port) => {
    if ((port.nodePort ?? 0) !== 0) return port;
    const before = byName.get(port.name ?? '') ?? 0;
    return before === 0 || used.has(before) ? port : { ...port, nodePort: before };
  });
}

/** `clusterIP` is the first of `clusterIPs`; a writer that knows only one of the two changes both. */
export function syncClusterIps(service: AnyService, old: AnyService | undefined): void {
  const { clusterIP = '', clusterIPs = [] } = service.spec;
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) service.spec = { ...service.spec, clusterIPs: [clusterIP] };
    return;
  }
  const { clusterIP: oldIp = '', clusterIPs: oldIps = [] } = old.spec;
  let next: readonly string[] = clusterIPs;
  if (oldIps.length > 0 && next.length === 0 && oldIp === clusterIP) next = oldIps;
  if (oldIp !== clusterIP && sameList(oldIps, next)) next = oldIp !== '' && clusterIP === '' ? [] : [clusterIP];
  service.spec = { ...service.spec, clusterIPs: next.length === 0 ? undefined : [...next] };
}

/** After a change of type, what only the old type had and the writer did not touch is dropped. */
export function dropWhatTypeLacks(service: AnyService, old: AnyService): void {
  const spec = { ...service.spec };
  const was = old.spec;
  if (!isExternalName(old) && isExternalName(service)) {
    if ((spec.clusterIP ?? '') === (was.clusterIP ?? '') && sameList(spec.clusterIPs, was.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(spec.ipFamilies, was.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === was.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const keepsPorts = nodePortsOf(spec).every((port) => nodePortsOf(was).includes(port));
  if (usesNodePorts(old) && !usesNodePorts(service) && keepsPorts) {
    spec.ports = spec.ports?.map(({ nodePort: _, ...port }) => port);
  }
  if (needsHealthCheck(old) && !needsHealthCheck(service) && spec.healthCheckNodePort === was.healthCheckNodePort) {
    delete spec.healthCheckNodePort;
  }
  if (was.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === was.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === was.loadBalancerClass) delete spec.loadBalancerClass;
  }
  const isHidden = isReachableFromOutside(old) && !isReachableFromOutside(service);
  if (isHidden && spec.externalTrafficPolicy === was.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  service.spec = spec;
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
}
