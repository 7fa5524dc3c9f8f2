// How names are resolved in a pod.
import type { Observed, Pod } from '../../client/index.ts';
import type { MachineDns } from '../backend/machine.ts';
import type { DnsConfig } from '../runtime/index.ts';

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const CLUSTER_OPTIONS = ['ndots:5'];
const NOTHING: DnsConfig = { servers: [], searches: [], options: [] };

/** The content of the pod's resolv.conf; undefined to use the machine's file. */
export function podDns({ metadata, spec }: Observed<Pod>, dns: MachineDns): DnsConfig | undefined {
  const { dnsPolicy = 'ClusterFirst', dnsConfig, hostNetwork = false } = spec ?? {};
  const isCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork);
  const base =
    dnsPolicy === 'None'
      ? NOTHING
      : isCluster && dns.clusterServers.length > 0
        ? clusterDns(metadata.namespace ?? '', dns)
        : dns.resolver;
  if (dnsConfig === undefined) return base;
  const { servers, searches, options } = base ?? NOTHING;
  return {
    servers: unique([...servers, ...(dnsConfig.nameservers ?? [])]).slice(0, MAX_SERVERS),
    searches: unique([...searches, ...(dnsConfig.searches ?? [])]).slice(0, MAX_SEARCHES),
    options: mergedOptions(options, dnsConfig.options ?? []),
  };
}

function clusterDns(namespace: string, { clusterServers, clusterDomain, resolver }: MachineDns): DnsConfig {
  const own = [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return {
    servers: clusterServers.slice(0, MAX_SERVERS),
    searches: unique([...own, ...(resolver?.searches ?? [])]).slice(0, MAX_SEARCHES),
    options: CLUSTER_OPTIONS,
  };
}

/** An option of the pod replaces one of the same name. */
function mergedOptions(
  options: readonly string[],
  added: readonly { readonly name?: string; readonly value?: string }[],
): readonly string[] {
  const byName = new Map(options.map((option) => [option.split(':')[0] ?? '', option]));
  for (const { name = '', value } of added) byName.set(name, value === undefined ? name : `${name}:${value}`);
  return [...byName.values()];
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
