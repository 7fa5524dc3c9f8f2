import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers, type RunningServer } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { NODE_ADDRESS } from './enter-script.ts';
import type { AgentSurroundings } from './node-agent.ts';
import { DNS_ADDRESS, DNS_DOMAIN, type NodeLayout, type PartCommand, POD_RANGE } from './node-layout.ts';

export const SERVICE_PEERS = ['kube-proxy', 'coredns'] as const;

/** kube-proxy with iptables; it leaves the machine's connection tracking as it is. */
export async function prepareProxy(
  { folder, name }: NodeLayout,
  { credentials }: AgentSurroundings,
): Promise<PartCommand> {
  const found = findPeers(['kube-proxy']);
  if (found.paths === undefined) throw new Error(`Cannot start kube-proxy: ${found.reason}`);
  const kubeconfig = join(folder, 'proxy.kubeconfig');
  await credentials.writeKubeconfig(kubeconfig, { name: 'system:kube-proxy', groups: [] });
  const config = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clientConnection: { kubeconfig },
    hostnameOverride: name,
    clusterCIDR: POD_RANGE,
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
  await writeFile(join(folder, 'proxy.json'), JSON.stringify(config, null, 2));
  return { program: found.paths['kube-proxy'], args: [`--config=${join(folder, 'proxy.json')}`] };
}

/** CoreDNS as a process of the node, for the cluster's own names. */
export async function prepareDns({ folder }: NodeLayout, { server }: AgentSurroundings): Promise<PartCommand> {
  const found = findPeers(['coredns']);
  if (found.paths === undefined) throw new Error(`Cannot start CoreDNS: ${found.reason}`);
  const config = `.:53 {
  bind ${NODE_ADDRESS}
  errors
  health ${NODE_ADDRESS}:8053
  kubernetes ${DNS_DOMAIN} in-addr.arpa ip6.arpa {
    kubeconfig ${server.kubeconfig}
    pods insecure
    ttl 5
  }
  cache 5
  loadbalance
}
`;
  await writeFile(join(folder, 'Corefile'), config);
  return { program: found.paths.coredns, args: ['-conf', join(folder, 'Corefile')] };
}

/** The Service by which pods reach CoreDNS. */
export async function createDnsService({ kubeconfig }: RunningServer): Promise<void> {
  await using client = await connect({ kubeconfig });
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ] as const;
  const name = 'kube-dns';
  await client.core.v1.services.namespace('kube-system').create({
    metadata: { name, labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' } },
    spec: { clusterIP: DNS_ADDRESS, ports: ports.map((port) => ({ ...port, targetPort: 53 })) },
  });
  await client.discovery.v1.endpointslices.namespace('kube-system').create({
    metadata: { name: `${name}-node`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [NODE_ADDRESS], conditions: { ready: true } }],
    ports: [...ports],
  });
}
