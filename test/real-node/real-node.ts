import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers, type Daemon, type RunningServer } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { importImages, prepareRuntime, RUNTIME_PEERS } from './container-runtime.ts';
import { eventually } from './eventually.ts';
import { startRegistry } from './image-registry.ts';
import { suiteImages } from './images/suite-images.ts';
import { createDnsService, nameServers } from './name-server.ts';
import { room, whyNoNamespaces } from './namespaces.ts';
import { defaultNetwork, type NetworkParts, networkPeers } from './network-parts.ts';
import { type AgentName, nodeAgents } from './node-agent.ts';
import { NodeCredentials } from './node-credentials.ts';
import { NODE_ADDRESS, type NodeLayout, nodeLayout, type PartCommand } from './node-layout.ts';
import { NodeProcesses } from './node-processes.ts';
import type { NodeSurroundings } from './node-program.ts';
import { policyEnforcers } from './policy-enforcer.ts';
import { serviceProxies } from './service-proxy.ts';

const READY_LIMIT_MS = 180_000;

export interface RealNodeOptions {
  readonly agent: AgentName;
  /** Where the node is; default the first node of the run. Namespaces of a further one are open already. */
  readonly layout?: NodeLayout;
  /** What else runs on the node; default as defaultNetwork() says. */
  readonly network?: NetworkParts | undefined;
  /** Fields of the agent's KubeletConfiguration on top of ours. */
  readonly agentConfig?: Readonly<Record<string, unknown>> | undefined;
  /** Flags of the agent on top of ours. */
  readonly agentFlags?: readonly string[] | undefined;
  /** The keelson.js to start; default `dist/keelson.js` of the current folder. */
  readonly bundle?: string | undefined;
  /** Flags of Node.js for our own agent, such as `--cpu-prof`. */
  readonly agentNodeFlags?: readonly string[];
  readonly print: (line: string) => void;
}

/** Why no node with these parts can run here, in words to print; undefined when one can. */
export function whyNoRealNode(agent: AgentName, network = defaultNetwork(agent)): string | undefined {
  const peers = findPeers<string>([...nodeAgents[agent].peers, ...RUNTIME_PEERS, ...networkPeers(network)]);
  if (peers.paths === undefined) return `${peers.reason} (\`npm run peers -- node\` builds all that a node needs)`;
  if (!existsSync(suiteImages().archive)) return 'there are no images: run `npm run conformance:images`';
  return whyNoNamespaces();
}

/**
 * Starts containerd with the suite's images, the agent and the parts of the network, and waits until the API server calls the node ready.
 * Assumes: namespaces of its own, see runInNamespaces(), and a server that runs in them too. Mounts and control groups go with the namespaces.
 */
export async function startRealNode(server: RunningServer, options: RealNodeOptions): Promise<NodeProcesses> {
  const { agent, layout = nodeLayout(room()), network = defaultNetwork(agent), bundle, print } = options;
  const node = await startRuntime({ layout, print });
  const around = { server, bundle, credentials: await NodeCredentials.read(server) };
  try {
    await node.start('agent', await agentCommand(layout, { around, options }));
    const proxy = serviceProxies[network.proxy];
    if (proxy !== undefined) await node.start('proxy', await proxy.prepare(layout, around));
    const dns = nameServers[network.dns];
    if (dns !== undefined) {
      await createDnsService(server);
      await node.start('dns', await dns.prepare(layout, around));
    }
    const policy = policyEnforcers[network.policy];
    if (policy !== undefined) await node.start('policy', await policy.prepare(layout, around));
    await awaitReady(server, node);
    print(`node ${node.name} is ready`);
    return node;
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
}

/** The agent's command, with the settings that the caller adds. */
async function agentCommand(
  layout: NodeLayout,
  { around, options }: { readonly around: NodeSurroundings; readonly options: RealNodeOptions },
): Promise<PartCommand> {
  const { agent, agentConfig, agentFlags = [], agentNodeFlags = [] } = options;
  const { program, args } = await nodeAgents[agent].prepare(layout, { ...around, nodeFlags: agentNodeFlags });
  if (agentConfig !== undefined) {
    const path = join(layout.folder, 'kubelet.json');
    const config = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...config, ...agentConfig }, null, 2));
  }
  return { program, args: [...args, ...agentFlags] };
}

export interface RuntimeOptions {
  readonly layout: NodeLayout;
  readonly print: (line: string) => void;
  /** Whether the rig writes the configuration of the pod network; default true. Otherwise the agent has to. */
  readonly hasNetwork?: boolean;
}

/** A node with containerd and the suite's images, and without anything that uses them. */
export async function startRuntime({ layout, print, hasNetwork = true }: RuntimeOptions): Promise<NodeProcesses> {
  const node = new NodeProcesses(layout);
  try {
    const registry = await startRegistry(suiteImages().layout, 'registry.k8s.io', { address: NODE_ADDRESS });
    node.needs(registry);
    await node.start('runtime', await prepareRuntime(layout, { registry: registry.url, hasNetwork }));
    await importImages(layout, node.daemon('runtime'));
    print(`containerd of ${layout.name} has the images`);
    return node;
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
}

/** Waits until the API server calls the node ready and gives it the range that its pods have; `others` are daemons whose end is the end of the wait, too. */
export async function awaitReady(
  { kubeconfig }: RunningServer,
  node: NodeProcesses,
  others: readonly Daemon[] = [],
): Promise<void> {
  await using client = await connect({ kubeconfig });
  await eventually(
    async () => {
      const { spec, status } = await client.core.v1.nodes.get(node.name);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True') throw new Error(`the node is not ready: ${ready?.message ?? 'it has no status'}`);
      const { podRange } = node.layout;
      if (spec?.podCIDR !== podRange) throw new Error(`its pods should be in ${podRange}, got "${spec?.podCIDR}"`);
    },
    {
      what: 'a ready node',
      limitMs: READY_LIMIT_MS,
      daemons: [...node.parts.map((part) => node.daemon(part)), ...others],
    },
  );
}
