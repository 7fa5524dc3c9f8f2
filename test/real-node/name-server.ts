import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers, type RunningServer } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { DNS_ADDRESS, DNS_DOMAIN, NODE_ADDRESS, type NodeLayout, type PartCommand } from './node-layout.ts';
import { keelsonCommand, type NodeProgram, type NodeSurroundings } from './node-program.ts';

export type NameServerName = 'coredns' | 'keelson' | 'none';

/** What answers questions about names of Services, as a process of the first node, by the name that `--dns` takes. */
export const nameServers: Readonly<Record<NameServerName, NodeProgram | undefined>> = {
  coredns: { peers: ['coredns'], prepare: prepareCoreDns },
  keelson: { peers: [], prepare: prepareKeelson },
  none: undefined,
};

/** `keelson dns` for the cluster's own names; the machine's name server would be itself. */
async function prepareKeelson(_layout: NodeLayout, around: NodeSurroundings): Promise<PartCommand> {
  const flags = [`--kubeconfig=${around.server.kubeconfig}`, `--listen=${NODE_ADDRESS}:53`, '--forward=none'];
  return keelsonCommand(around, 'dns', ...flags);
}

/** CoreDNS for the cluster's own names; it refuses all others. */
async function prepareCoreDns({ folder }: NodeLayout, { server }: NodeSurroundings): Promise<PartCommand> {
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

/** The Service by which pods reach the name server. */
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
