import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { room } from './namespaces.ts';
import { defaultNetwork, type NetworkParts } from './network-parts.ts';
import { type AgentName, machineConfig } from './node-agent.ts';
import { CLUSTER_RANGE, NODE_ADDRESS, nodeLayout } from './node-layout.ts';
import { openNodeNamespaces } from './node-namespaces.ts';
import type { NodeProcesses, RealNode } from './node-processes.ts';
import { Opened } from './opened.ts';
import { awaitReady, startRealNode, startRuntime } from './real-node.ts';

/** `parts`: a process for each part. `up`: all but the container runtime in the one process of `keelson up`, as a user starts it. */
export type ClusterMode = 'parts' | 'up';

export interface RealClusterOptions {
  /** Keelson, or kube-apiserver with etcd, controllers and scheduler. */
  readonly controlPlane: 'keelson' | 'kube';
  readonly agent: AgentName;
  /** Default `parts`; `up` is for Keelson with its own agent. */
  readonly mode?: ClusterMode;
  /** What else runs on the node in mode `parts`; default as defaultNetwork() says. */
  readonly network?: NetworkParts;
  /** The keelson.js to start; default `dist/keelson.js` of the current folder. */
  readonly bundle?: string;
  /** Flags of Node.js for our own agent, such as `--cpu-prof`; not in mode `up`. */
  readonly agentNodeFlags?: readonly string[];
  /** Whether the control plane has a machine of its own, which has routes to the pods and is no node; not in mode `up`. */
  readonly isServerApart?: boolean;
  /** How many nodes; default 1. Further ones have parts of their own, but for the name server, in every mode. */
  readonly nodes?: number;
  /** Fields of the agents' KubeletConfiguration, and flags of the agents, on top of ours; not in mode `up`. */
  readonly agentConfig?: Readonly<Record<string, unknown>>;
  readonly agentFlags?: readonly string[];
  /** Flags of `keelson up` or kube-apiserver on top of ours. */
  readonly serverFlags?: readonly string[];
  readonly print: (line: string) => void;
}

/** A control plane and its nodes. */
export interface RealCluster extends AsyncDisposable {
  readonly server: RunningServer;
  /** The first node. */
  readonly node: RealNode;
  readonly nodes: readonly RealNode[];
}

/** How clients and nodes reach the API server, and what it knows of them. */
const REACH = [
  '--bind-address=0.0.0.0',
  `--advertise-address=${NODE_ADDRESS}`,
  '--kubelet-preferred-address-types=InternalIP',
  '--enable-admission-plugins=NodeRestriction',
];
/** Every process of every node listens to the end of this one. */
const MAX_LISTENERS = 100;
const RANGES = ['--allocate-node-cidrs=true', `--cluster-cidr=${CLUSTER_RANGE}`];

/** Starts a control plane and real nodes in the namespaces that runInNamespaces() has made; ends them in reverse order. */
export async function startRealCluster(options: RealClusterOptions): Promise<RealCluster> {
  if (options.isServerApart === true && (options.mode === 'up' || (options.nodes ?? 1) > 1))
    throw new Error('A server on a machine of its own is for one node, and not for mode up');
  process.setMaxListeners(MAX_LISTENERS);
  const opened = new Opened();
  try {
    const { server, node } =
      options.mode === 'up' ? await startWhole(options, opened) : await startParts(options, opened);
    const nodes = [node];
    while (nodes.length < (options.nodes ?? 1))
      nodes.push(await joinNode(server, { ...options, joined: nodes, opened }));
    return { server, node, nodes, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

interface First {
  readonly server: RunningServer;
  readonly node: NodeProcesses;
}

async function startParts(options: RealClusterOptions, opened: Opened): Promise<First> {
  const server = opened.use(await startControlPlane(options));
  if (options.isServerApart === true) {
    // The second layout, because the first one is the server's; the first node gets the first range.
    const [first, second] = [nodeLayout(room()), nodeLayout(room(), 2)];
    const layout = { ...second, podRange: first.podRange };
    opened.use(await openNodeNamespaces(layout, [{ ...first, podRange: second.podRange }]));
    return {
      server,
      node: opened.use(await startRealNode(server, { ...options, network: withoutNames(options), layout })),
    };
  }
  return { server, node: opened.use(await startRealNode(server, options)) };
}

/** containerd, then `keelson up` with everything else, the configuration of the pods' network included. Containers end after the server, which leaves them running. */
async function startWhole(options: RealClusterOptions, opened: Opened): Promise<First> {
  const { bundle, serverFlags = [], print } = options;
  const node = opened.use(await startRuntime({ layout: nodeLayout(room()), print, hasNetwork: false }));
  const config = join(node.folder, 'kubelet.json');
  await writeFile(config, JSON.stringify(machineConfig(node.layout), null, 2));
  const own = [
    `--container-runtime-endpoint=unix://${node.layout.runtimeSocket}`,
    `--kubelet-config=${config}`,
    `--node-name=${node.name}`,
    `--node-ip=${node.layout.address}`,
    '--dns-forward=none', // the machine's name servers are out of reach
  ];
  const flags = ['--simulated-storage=false', ...RANGES, ...REACH, ...own, ...serverFlags];
  const server = opened.use(await startKeelson({ folder: join(room(), 'server'), bundle, flags }));
  await awaitReady(server, node, server.daemons);
  print(`node ${node.name} is ready`);
  return { server, node };
}

interface JoinOptions extends RealClusterOptions {
  /** Those that are there already. */
  readonly joined: readonly NodeProcesses[];
  readonly opened: Opened;
}

/** A further node, in namespaces of its own, on the bridge of the first one. */
async function joinNode(server: RunningServer, { joined, opened, ...options }: JoinOptions): Promise<NodeProcesses> {
  const layout = nodeLayout(room(), joined.length + 1);
  const others = joined.map((node) => node.layout);
  opened.use(await openNodeNamespaces(layout, others));
  return opened.use(await startRealNode(server, { ...options, network: withoutNames(options), layout }));
}

/** The name server is a process of the control plane's machine. */
function withoutNames({ agent, network = defaultNetwork(agent) }: RealClusterOptions): NetworkParts {
  return { ...network, dns: 'none' };
}

function startControlPlane({ controlPlane, bundle, serverFlags = [] }: RealClusterOptions): Promise<RunningServer> {
  const folder = join(room(), 'server');
  if (controlPlane === 'kube') {
    const keys = join(folder, 'pki');
    const client = [`--kubelet-client-certificate=${keys}/admin.crt`, `--kubelet-client-key=${keys}/admin.key`];
    return startKube({
      folder,
      parts: ['kube-controller-manager', 'kube-scheduler'],
      apiserverFlags: [...REACH, ...client, ...serverFlags],
      controllerManagerFlags: RANGES,
      servingNames: ['kubernetes.default.svc.cluster.local', NODE_ADDRESS], // the issuer of tokens, and what it redirects to
    });
  }
  const flags = ['--nodes=0', '--simulated-storage=false', ...RANGES, ...REACH, ...serverFlags];
  return startKeelson({ folder, bundle, flags });
}
