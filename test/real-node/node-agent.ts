import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findPeers, type RunningServer } from '../../peers/index.ts';
import { NODE_ADDRESS } from './enter-script.ts';
import { authorityPath, type NodeCredentials } from './node-credentials.ts';
import { DNS_ADDRESS, DNS_DOMAIN, type NodeLayout, type PartCommand } from './node-layout.ts';

/** What an agent is prepared with. */
export interface AgentSurroundings {
  readonly server: RunningServer;
  readonly credentials: NodeCredentials;
  /** The keelson.js to start; default `dist/keelson.js` of the current folder. */
  readonly bundle?: string | undefined;
}

/** A program that runs a node's pods: how its command comes to be, and the peers that it needs. */
export interface NodeAgent {
  readonly peers: readonly string[];
  prepare(layout: NodeLayout, around: AgentSurroundings): Promise<PartCommand>;
}

export type AgentName = 'kubelet' | 'keelson';

/** Every agent by the name that `--node` takes. */
export const nodeAgents: Readonly<Record<AgentName, NodeAgent>> = {
  kubelet: { peers: ['kubelet'], prepare: prepareKubelet },
  keelson: { peers: [], prepare: prepareKeelson },
};

/** `keelson kubelet`, with the part of the same configuration that it obeys. */
async function prepareKeelson(layout: NodeLayout, around: AgentSurroundings): Promise<PartCommand> {
  const { server, credentials, bundle = join('dist', 'keelson.js') } = around;
  const path = (file: string): string => join(layout.folder, file);
  await writeNodeFiles(layout, credentials);
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
  const all = Object.entries(kubeletConfig(layout, server)).filter(([field]) => obeyed.includes(field));
  await writeFile(path('kubelet.json'), JSON.stringify(Object.fromEntries(all), null, 2));
  return { program: process.execPath, args: [resolve(bundle), 'kubelet', ...agentFlags(layout)] };
}

async function prepareKubelet(layout: NodeLayout, { server, credentials }: AgentSurroundings): Promise<PartCommand> {
  const found = findPeers(['kubelet']);
  if (found.paths === undefined) throw new Error(`Cannot start a kubelet: ${found.reason}`);
  await writeNodeFiles(layout, credentials);
  await writeFile(join(layout.folder, 'kubelet.json'), JSON.stringify(kubeletConfig(layout, server), null, 2));
  return { program: found.paths.kubelet, args: agentFlags(layout) };
}

/** Writes what every agent needs: its identity and its certificate. */
async function writeNodeFiles({ folder, name }: NodeLayout, credentials: NodeCredentials): Promise<void> {
  const path = (file: string): string => join(folder, file);
  const groups = ['system:nodes'];
  await credentials.writeKubeconfig(path('kubelet.kubeconfig'), { name: `system:node:${name}`, groups });
  await credentials.writeServingPair(path('kubelet-serving'), [name, NODE_ADDRESS]);
}

function agentFlags({ folder, name }: NodeLayout): readonly string[] {
  const path = (file: string): string => join(folder, file);
  return [
    `--config=${path('kubelet.json')}`,
    `--kubeconfig=${path('kubelet.kubeconfig')}`,
    `--hostname-override=${name}`,
    `--node-ip=${NODE_ADDRESS}`,
  ];
}

function kubeletConfig({ folder, runtimeSocket }: NodeLayout, server: RunningServer): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${runtimeSocket}`,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authorityPath(server) },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(folder, 'kubelet-serving.crt'),
    tlsPrivateKeyFile: join(folder, 'kubelet-serving.key'),
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: DNS_DOMAIN,
    resolvConf: join(folder, 'resolv.conf'),
    maxPods: 200,
    serializeImagePulls: false, // a pull from a registry that does not answer must not hold up the others
    // The disk is the machine's: what others keep on it must neither evict pods nor remove images.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    imageGCHighThresholdPercent: 100,
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    staticPodPath: join(folder, 'manifests'),
  };
}
