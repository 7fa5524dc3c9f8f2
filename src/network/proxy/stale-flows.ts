import type { Conntrack, Flow } from '../conntrack/index.ts';
import { endpointPlace, type IpFamily, type ProxiedPort } from '../services/index.ts';
import { proxyMetrics } from './proxy-metrics.ts';
import type { ProxyTools } from './proxy-options.ts';

/**
 * A test for UDP flows to ports of Services that lead to no endpoint which serves. Such a flow would go on as long as the client sends,
 * for UDP has no end that the kernel could see. Flows of ports without any endpoint are left: nothing better is known for them.
 */
export function staleFlowTest(ports: Iterable<ProxiedPort>): (flow: Flow) => boolean {
  const byPlace = new Map<string, ReadonlySet<string>>();
  const byNodePort = new Map<number, ReadonlySet<string>>();
  for (const port of ports) {
    if (port.protocol !== 'UDP') continue;
    const serving = new Set(port.endpoints.all.filter(({ isServing }) => isServing).map(endpointPlace));
    if (serving.size === 0) continue;
    for (const address of [port.clusterIp, ...port.loadBalancerIps, ...port.externalIps])
      byPlace.set(endpointPlace({ address, port: port.port }), serving);
    if (port.nodePort !== undefined) byNodePort.set(port.nodePort, serving);
  }
  return ({ destination, destinationPort, answerSource, answerPort }) => {
    const answer = endpointPlace({ address: answerSource, port: answerPort });
    const serving = byPlace.get(endpointPlace({ address: destination, port: destinationPort }));
    if (serving !== undefined && !serving.has(answer)) return true;
    const behindNodePort = byNodePort.get(destinationPort);
    return behindNodePort !== undefined && !behindNodePort.has(answer);
  };
}

/** Deletes UDP flows that lead to no endpoint which serves. Fails silently but for the log: rules are in place without it. */
export async function deleteStaleFlows(
  ports: Iterable<ProxiedPort>,
  {
    family,
    conntrack,
    tools,
  }: { readonly family: IpFamily; readonly conntrack: Conntrack; readonly tools: ProxyTools },
): Promise<void> {
  const { clock, log, metrics } = tools;
  const startMs = clock.monotonic();
  const word = family === 'IPv4' ? 'ipv4' : 'ipv6';
  const figures = proxyMetrics(metrics);
  try {
    const stale = await conntrack.udpFlows(word, staleFlowTest(ports));
    const deleted = stale.length === 0 ? 0 : await conntrack.deleteUdp(word, stale);
    figures.conntrackDeleted.with({ ip_family: family }).add(deleted);
    if (deleted > 0) log.debug('UDP connections to former endpoints deleted', { ipFamily: family, deleted });
  } catch (error) {
    log.warn('UDP connections to former endpoints cannot be deleted', { ipFamily: family, error });
  }
  figures.conntrackDuration.with({ ip_family: family }).observe((clock.monotonic() - startMs) / 1000);
}
