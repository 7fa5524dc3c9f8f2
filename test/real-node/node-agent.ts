import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers, type RunningServer } from '../../peers/index.ts';
import { authorityPath, type NodeCredentials } from './node-credentials.ts';
import { DNS_ADDRESS, DNS_DOMAIN, type NodeLayout, type PartCommand } from './node-layout.ts';
import { keelsonCommand, type NodeProgram, type NodeSurroundings } from './node-program.ts';

export type AgentName = 'kubelet' | 'keelson';

/** What runs a node's pods, by the name that `--node` takes. */
export const nodeAgents: Readonly<Record<AgentName, NodeProgram>> = {
  kubelet: { peers: ['kubelet'], prepare: prepareKubelet },
  keelson: { peers: [], prepare: prepareKeelson },
};

/** `keelson kubelet`, with the part of the same configuration that it obeys. */
async function prepareKeelson(layout: NodeLayout, around: NodeSurroundings): Promise<PartCommand> {
  await writeNodeFiles(layout, around.credentials);
  const obeyed = [
    'apiVersion',
    'kind',
    'containerRuntimeEndpoint',
    'cgroupDriver',
    'failCgroupV1',
    'failSwapOn',
    'tlsCertFile',
    'tlsPrivateKeyFile',
    'clusterDNS',
    'clusterDomain',
    'maxPods',
    'evictionHard',
    'staticPodPath',
    'authentication',
    'resolvConf',
    'serializeImagePulls',
    'authorization',
  ];
  const all = Object.entries(kubeletConfig(layout, around.server)).filter(([field]) => obeyed.includes(field));
  await writeFile(join(layout.folder, 'kubelet.json'), JSON.stringify(Object.fromEntries(all), null, 2));
  return keelsonCommand(around, 'kubelet', ...agentFlags(layout));
}

async function prepareKubelet(layout: NodeLayout, { server, credentials }: NodeSurroundings): Promise<PartCommand> {
  const found = findPeers(['kubelet']);
  if (found.paths === undefined) throw new Error(`Cannot start a kubelet: ${found.reason}`);
  await writeNodeFiles(layout, credentials);
  await writeFile(join(layout.folder, 'kubelet.json'), JSON.stringify(kubeletConfig(layout, server), null, 2));
  return { program: found.paths.kubelet, args: agentFlags(layout) };
}

/** Writes what every agent needs: its identity and its certificate. */
async function writeNodeFiles({ folder, name, address }: NodeLayout, credentials: NodeCredentials): Promise<void> {
  const path = (file: string): string => join(folder, file);
  const groups = ['system:nodes'];
  await credentials.writeKubeconfig(path('kubelet.kubeconfig'), { name: `system:node:${name}`, groups });
  await credentials.writeServingPair(path('kubelet-serving'), [name, address]);
}

function agentFlags({ folder, name, address }: NodeLayout): readonly string[] {
  const path = (file: string): string => join(folder, file);
  return [
    `--config=${path('kubelet.json')}`,
    `--kubeconfig=${path('kubelet.kubeconfig')}`,
    `--hostname-override=${name}`,
    `--node-ip=${address}`,
  ];
}

/** A KubeletConfiguration with no more than this kind of machine asks for. */
export function machineConfig({ folder }: NodeLayout): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    resolvConf: join(folder, 'resolv.conf'),
    maxPods: 200,
    serializeImagePulls: false, // a pull from a registry that does not answer must not hold up the others
    // The disk is the machine's: what others keep on it must neither evict pods nor remove images.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    staticPodPath: join(folder, 'manifests'),
  };
}

function kubeletConfig(layout: NodeLayout, server: RunningServer): object {
  return {
    ...machineConfig(layout),
    containerRuntimeEndpoint: `unix://${layout.runtimeSocket}`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authorityPath(server) },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(layout.folder, 'kubelet-serving.crt'),
    tlsPrivateKeyFile: join(layout.folder, 'kubelet-serving.key'),
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: DNS_DOMAIN,
    imageGCHighThresholdPercent: 100,
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
  };
}
