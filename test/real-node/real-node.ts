import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Daemon, findPeers, type RunningServer } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { createDnsService, prepareDns, prepareProxy, SERVICE_PEERS } from './cluster-services.ts';
import { importImages, prepareRuntime, RUNTIME_PEERS } from './container-runtime.ts';
import { eventually } from './eventually.ts';
import { type ImageRegistry, startRegistry } from './image-registry.ts';
import { suiteImages } from './images/suite-images.ts';
import { room, whyNoNamespaces } from './namespaces.ts';
import { type AgentName, nodeAgents } from './node-agent.ts';
import { NodeCredentials } from './node-credentials.ts';
import { nodeLayout, type PartCommand } from './node-layout.ts';

const READY_LIMIT_MS = 180_000;

/** The parts of a node, in the order in which they start. */
export const nodeParts = ['runtime', 'agent', 'proxy', 'dns'] as const;
export type NodePart = (typeof nodeParts)[number];

/** A node with containers, services and names. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  /** Holds PART.log and the parts' configuration. */
  readonly folder: string;
  /** The process of a part; another one after each restart. */
  daemon(part: NodePart): Daemon;
  /** Ends a part, with SIGKILL when `isKilled`, and starts it again with the same arguments. Containers stay. */
  restart(part: NodePart, options?: { readonly isKilled?: boolean }): Promise<void>;
}

export interface RealNodeOptions {
  readonly agent: AgentName;
  /** The keelson.js to start; default `dist/keelson.js` of the current folder. */
  readonly bundle?: string | undefined;
  readonly print: (line: string) => void;
}

/** Why no node with this agent can run here, in words to print; undefined when one can. */
export function whyNoRealNode(agent: AgentName): string | undefined {
  const peers = findPeers<string>([...nodeAgents[agent].peers, ...RUNTIME_PEERS, ...SERVICE_PEERS]);
  if (peers.paths === undefined) return `${peers.reason} (\`npm run peers -- node\` builds all that a node needs)`;
  if (!existsSync(suiteImages().archive)) return 'there are no images: run `npm run conformance:images`';
  return whyNoNamespaces();
}

/**
 * Starts containerd with the suite's images, the agent, kube-proxy and CoreDNS, and waits until the API server calls the node ready.
 * Assumes: namespaces of its own, see runInNamespaces(), and a server that runs in them too. Mounts and control groups go with the namespaces.
 */
export async function startRealNode(
  server: RunningServer,
  { agent, bundle, print }: RealNodeOptions,
): Promise<RealNode> {
  const layout = nodeLayout(room());
  const registry = await startRegistry(suiteImages().layout, 'registry.k8s.io');
  const around = { server, bundle, credentials: await NodeCredentials.read(server) };
  const node = new NodeProcesses(layout.folder, { name: layout.name, programs: layout.programs, registry });
  try {
    await node.start('runtime', await prepareRuntime(layout, { registry: registry.url }));
    await importImages(layout, node.daemon('runtime'));
    print('containerd has the images');
    await node.start('agent', await nodeAgents[agent].prepare(layout, around));
    await node.start('proxy', await prepareProxy(layout, around));
    await createDnsService(server);
    await node.start('dns', await prepareDns(layout, around));
    await awaitReady(server, node);
    print(`node ${node.name} is ready`);
    return node;
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
}

async function awaitReady({ kubeconfig }: RunningServer, node: NodeProcesses): Promise<void> {
  await using client = await connect({ kubeconfig });
  await eventually(
    async () => {
      const { status } = await client.core.v1.nodes.get(node.name);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True') throw new Error(`the node is not ready: ${ready?.message ?? 'it has no status'}`);
    },
    { what: 'a ready node', limitMs: READY_LIMIT_MS, daemons: nodeParts.map((part) => node.daemon(part)) },
  );
}

interface ProcessOptions {
  readonly name: string;
  readonly programs: string;
  readonly registry: ImageRegistry;
}

class NodeProcesses implements RealNode {
  readonly name: string;
  readonly folder: string;
  readonly #programs: string;
  readonly #registry: ImageRegistry;
  readonly #running = new Map<NodePart, { readonly command: PartCommand; readonly daemon: Daemon }>();

  constructor(folder: string, { name, programs, registry }: ProcessOptions) {
    this.folder = folder;
    this.name = name;
    this.#programs = programs;
    this.#registry = registry;
  }

  async start(part: NodePart, command: PartCommand): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const environment = { PATH: [this.#programs, process.env['PATH'] ?? ''].join(delimiter) };
    const logPath = join(this.folder, `${part}.log`);
    const daemon = new Daemon(command.program, command.args, { logPath, environment });
    this.#running.set(part, { command, daemon });
  }

  daemon(part: NodePart): Daemon {
    return this.#part(part).daemon;
  }

  async restart(part: NodePart, { isKilled = false }: { readonly isKilled?: boolean } = {}): Promise<void> {
    const { command, daemon } = this.#part(part);
    if (isKilled) process.kill(daemon.pid, 'SIGKILL');
    await daemon.stop();
    await this.start(part, command);
  }

  /** Ends the parts, the last one first, then the containers that they leave running. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of nodeParts.toReversed()) await this.#running.get(part)?.daemon.stop();
    await killContainers();
    await this.#registry[Symbol.asyncDispose]();
  }

  #part(part: NodePart): { readonly command: PartCommand; readonly daemon: Daemon } {
    const found = this.#running.get(part);
    if (found === undefined) throw new Error(`The node's ${part} has not been started`);
    return found;
  }
}

/** Kills the processes of pods, and the shims above them. Only those of this process namespace are seen here. */
async function killContainers(): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
      const name = await readFile(`/proc/${pid}/comm`, 'utf8');
      if (groups.includes('/kubepods') || name.startsWith('containerd-shim')) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // it has ended by itself
    }
  }
}
