import { isIPv4 } from 'node:net';
import type { Service } from '../../api/types/core/v1.d.ts';
import { formatCidr, formatIp, isIpv4, parseCidr, parseIp } from '../../api/values/index.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { IpFamily, PortFacts } from './proxied-port.ts';

/** The label that gives a Service to a proxy of another name. */
export const PROXY_NAME_LABEL = 'service.kubernetes.io/service-proxy-name';

type Spec = DeepReadonly<NonNullable<Service['spec']>>;

const NO_TEXTS: readonly string[] = [];

/** The ports of a Service that a proxy forwards in an IP family; none of headless and external names, and of other proxies'. */
export function readService(service: DeepReadonly<Service>, family: IpFamily): readonly PortFacts[] {
  const { metadata, spec, status } = service;
  if (spec === undefined || spec.type === 'ExternalName' || !hasClusterIp(spec)) return [];
  if (metadata?.labels?.[PROXY_NAME_LABEL] !== undefined) return [];
  const clusterIp = clusterIpOf(spec, family);
  if (clusterIp === undefined) return [];
  const { namespace = '', name = '' } = metadata ?? {};
  const shared = {
    family,
    namespace,
    service: name,
    clusterIp,
    externalIps: addressesOf(spec.externalIPs ?? NO_TEXTS, family),
    loadBalancerIps: addressesOf(
      (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode = 'VIP' }) =>
        ip !== undefined && ipMode === 'VIP' ? [ip] : [],
      ),
      family,
    ),
    sourceRanges: rangesOf(spec.loadBalancerSourceRanges ?? NO_TEXTS, family),
    affinitySeconds: affinityOf(spec),
    internalPolicy: spec.internalTrafficPolicy ?? 'Cluster',
    externalPolicy: isLocalOutside(spec) ? 'Local' : 'Cluster',
    healthCheckNodePort: healthPortOf(spec),
  } as const;
  return (spec.ports ?? []).map(({ name: portName = '', protocol = 'TCP', port, nodePort }) => ({
    ...shared,
    name: `${namespace}/${name}${portName === '' ? '' : `:${portName}`}/${protocol}`,
    portName,
    protocol,
    port,
    nodePort: nodePort === 0 ? undefined : nodePort,
  }));
}

/** The canonical form of an address of the family; undefined for anything else. */
export function addressOf(text: string, family: IpFamily): string | undefined {
  if (isIPv4(text)) return family === 'IPv4' ? text : undefined; // without leading zeros, so canonical
  const address = parseIp(text);
  return address !== undefined && isIpv4(address) === (family === 'IPv4') ? formatIp(address) : undefined;
}

/** The canonical form of a range of the family; undefined for anything else. */
export function rangeOf(text: string, family: IpFamily): string | undefined {
  const range = parseCidr(text.trim());
  return range !== undefined && isIpv4(range.address) === (family === 'IPv4') ? formatCidr(range) : undefined;
}

function addressesOf(texts: readonly string[], family: IpFamily): readonly string[] {
  if (texts.length === 0) return NO_TEXTS;
  return [...new Set(texts.flatMap((text) => addressOf(text, family) ?? []))];
}

/** A range of all addresses is no limit. */
function rangesOf(texts: readonly string[], family: IpFamily): readonly string[] {
  if (texts.length === 0) return NO_TEXTS;
  const ranges = [...new Set(texts.flatMap((text) => rangeOf(text, family) ?? []))];
  return ranges.some((range) => range.endsWith('/0')) ? NO_TEXTS : ranges;
}

function hasClusterIp({ clusterIP = '' }: Spec): boolean {
  return clusterIP !== '' && clusterIP !== 'None';
}

function clusterIpOf({ clusterIP = '', clusterIPs = [], ipFamilies = [] }: Spec, family: IpFamily): string | undefined {
  if (ipFamilies.length === 0) return addressOf(clusterIP, family);
  const at = ipFamilies.indexOf(family);
  const text = at < 0 ? undefined : clusterIPs[at];
  return text === undefined ? undefined : addressOf(text, family);
}

function affinityOf({ sessionAffinity, sessionAffinityConfig }: Spec): number | undefined {
  return sessionAffinity === 'ClientIP' ? (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : undefined;
}

function isLocalOutside({ type, externalIPs = [], externalTrafficPolicy }: Spec): boolean {
  const isOutside =
    type === 'LoadBalancer' || type === 'NodePort' || ((type ?? 'ClusterIP') === 'ClusterIP' && externalIPs.length > 0);
  return isOutside && externalTrafficPolicy === 'Local';
}

function healthPortOf(spec: Spec): number | undefined {
  const { type, healthCheckNodePort = 0 } = spec;
  return type === 'LoadBalancer' && isLocalOutside(spec) && healthCheckNodePort !== 0 ? healthCheckNodePort : undefined;
}
