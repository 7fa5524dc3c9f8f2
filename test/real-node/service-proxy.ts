import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers } from '../../peers/index.ts';
import { CLUSTER_RANGE, type NodeLayout, type PartCommand } from './node-layout.ts';
import { keelsonCommand, type NodeProgram, type NodeSurroundings } from './node-program.ts';

export type ProxyName = 'kube-proxy' | 'keelson' | 'none';

/** What makes addresses of Services work on a node, by the name that `--proxy` takes. */
export const serviceProxies: Readonly<Record<ProxyName, NodeProgram | undefined>> = {
  'kube-proxy': { peers: ['kube-proxy'], prepare: prepareKubeProxy },
  keelson: {
    peers: [],
    prepare: prepareKeelson,
    rules: { tables: ['keelson-services'], cleanup: ['proxy', '--cleanup'] },
  },
  none: undefined,
};

async function prepareKubeProxy(layout: NodeLayout, around: NodeSurroundings): Promise<PartCommand> {
  const found = findPeers(['kube-proxy']);
  if (found.paths === undefined) throw new Error(`Cannot start kube-proxy: ${found.reason}`);
  return { program: found.paths['kube-proxy'], args: [await configFlag(layout, around, 'iptables')] };
}

async function prepareKeelson(layout: NodeLayout, around: NodeSurroundings): Promise<PartCommand> {
  return keelsonCommand(around, 'proxy', await configFlag(layout, around, 'nftables'));
}

/** Writes a KubeProxyConfiguration that leaves the machine's connection tracking as it is, and names its file. */
async function configFlag(
  { folder, name }: NodeLayout,
  { credentials }: NodeSurroundings,
  mode: 'iptables' | 'nftables',
): Promise<string> {
  const kubeconfig = join(folder, 'proxy.kubeconfig');
  await credentials.writeKubeconfig(kubeconfig, { name: 'system:kube-proxy', groups: [] });
  const config = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode,
    clientConnection: { kubeconfig },
    hostnameOverride: name,
    clusterCIDR: CLUSTER_RANGE,
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
  const path = join(folder, 'proxy.json');
  await writeFile(path, JSON.stringify(config, null, 2));
  return `--config=${path}`;
}
