import { cidrWarnings, ipWarnings } from '../../api/index.ts';
import type { Service } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { NONE } from './service-shape.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

/** What works, but will not do what its writer may expect. */
export function serviceWarnings({ metadata, spec }: Whole<Service>): string[] {
  const { externalIPs = [], clusterIPs = [], loadBalancerIP = '', type } = spec;
  const warnings: string[] = [];
  const isHeadless = type === 'ClusterIP' && spec.clusterIP === NONE;
  if (metadata.annotations?.[HINTS] !== undefined) {
    warnings.push(`annotation ${HINTS} is deprecated, please use ${MODE} instead`);
  }
  if (spec.clusterIP !== NONE && spec.clusterIP !== undefined) {
    warnings.push(...clusterIPs.flatMap((address, index) => ipWarnings(`spec.clusterIPs[${index}]`, address)));
  }
  if (isHeadless) {
    if (loadBalancerIP !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  warnings.push(...externalIPs.flatMap((address, index) => ipWarnings(`spec.externalIPs[${index}]`, address)));
  if (externalIPs.length > 0 && !isHeadless && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP !== '') warnings.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIP));
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    warnings.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${index}]`, range));
  }
  if (type === 'ExternalName' && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== 'ExternalName' && (spec.externalName ?? '') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
