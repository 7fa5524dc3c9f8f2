import { setMaxListeners } from 'node:events';
import { aborted, type Runnable, runTogether } from '../base/index.ts';
import { type ObjectSelection, ItemBackoff, keyOf, Node, type Observed, Pod, Service } from '../client/index.ts';
import {
  type KeyedWorkers,
  podsByNode,
  type PreparedPart,
  type ProgramContext,
  type ProgramPart,
} from '../kit/index.ts';
import { ServiceVariables } from './config/index.ts';
import {
  defaultAddress,
  defaultPodCidr,
  type NodeBehavior,
  type NodeSettings,
  type OpenNodeBackend,
} from './backend/index.ts';
import { NodeBeats } from './node-beats.ts';
import type { NodeAgentParts, NodeTask } from './compose-agent.ts';
import type { NodeAgent } from './node-agent.ts';
import { NodeStart } from './node-start.ts';

/** The backend, labels, taints and drivers of nodes. */
export interface NodeOptions extends NodeBehavior {
  /** Opens the backend of each node. */
  readonly backend: OpenNodeBackend;
  /** Added to the labels that every node has. */
  readonly labels?: NodeSettings['labels'];
  /** Added to the annotations that every node has. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: NodeSettings['taints'];
  /** The CSI drivers whose volumes nodes can mount; default none. */
  readonly drivers?: readonly string[];
  /** Maximum number of concurrent image pulls of a node; default 10. */
  readonly maxParallelPulls?: number;
  /** Maximum number of pods processed concurrently, over all nodes; default 64. */
  readonly concurrency?: number;
  /** Receives the addresses of the nodes' pods; default they are not reported. */
  readonly network?: NodeAgentParts['network'];
  /** Called with each node's agent when its backend is open: the way to `NodeAgent.streams`. */
  readonly onAgent?: (agent: NodeAgent) => void;
}

export interface NodeAgentsOptions extends NodeOptions {
  /** Default `keelson`. */
  readonly names?: readonly string[];
  /** Index of the first node among the nodes of all processes, from which ranges and addresses are counted; default 0. */
  readonly firstIndex?: number;
  /** The pod ranges of each node; default from 10.244.0.0/24 on. */
  readonly podCidrs?: (index: number) => readonly string[];
  /** The node's own addresses; default from 10.0.0.1 on. */
  readonly addresses?: (index: number) => readonly string[];
  /** Port of a node's server; default none. */
  readonly port?: (name: string) => number;
  /** The `host:port` of a node's server, where the node's addresses do not lead there; default none. */
  readonly server?: (name: string) => string | undefined;
}

export interface NodeAgentOptions extends NodeOptions {
  readonly name?: string;
  /** See `NodeAgentsOptions`. */
  readonly firstIndex?: number;
  readonly podCidrs?: readonly string[];
  readonly addresses?: readonly string[];
  /** Port of the node's server; default none. */
  readonly port?: number;
  /** See `NodeAgentsOptions`. */
  readonly server?: string | undefined;
}

const DEFAULT_NAME = 'keelson';
const MAX_PARALLEL_PULLS = 10;
const COMPONENT = 'kubelet';
const POD_WORKERS = 64;
const HEARTBEAT_WORKERS = 16;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

/** The names of `count` nodes: `keelson` for one, `keelson-1`, `keelson-2`, … for more; `name` replaces `keelson`. */
export function nodeNames(count: number, name = DEFAULT_NAME): string[] {
  return count === 1 ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}

/** Any number of nodes in one process, which share one watch of pods and one of nodes. */
export function nodeAgents(options: NodeAgentsOptions): ProgramPart {
  const { names = nodeNames(1), firstIndex = 0, podCidrs, addresses, port, server } = options;
  const nodes = names.map((name, index) =>
    settingsOf(options, {
      name,
      podCidrs: podCidrs?.(index) ?? [defaultPodCidr(firstIndex + index)],
      addresses: addresses?.(index) ?? [defaultAddress(firstIndex + index)],
      port: port?.(name) ?? 0,
      server: server?.(name),
    }),
  );
  return {
    name: 'nodes',
    holds: [Pod],
    prepare: (context) => new RunningNodes(context, nodes, { ...options, scopes: {} }),
  };
}

/** A single node, which watches only its Node object and its pods. */
export function nodeAgent(options: NodeAgentOptions): ProgramPart {
  const { name = DEFAULT_NAME, firstIndex = 0, port = 0, server } = options;
  const { podCidrs = [defaultPodCidr(firstIndex)], addresses = [defaultAddress(firstIndex)] } = options;
  const node = settingsOf(options, { name, podCidrs, addresses, port, server });
  const scopes = {
    pods: { fieldSelector: `spec.nodeName=${name}` },
    nodes: { fieldSelector: `metadata.name=${name}` },
  };
  return {
    name: `node ${name}`,
    holds: [Pod],
    startsWithoutCaches: options.staticPods !== undefined,
    prepare: (context) => new RunningNodes(context, [node], { ...options, scopes }),
  };
}

function settingsOf(
  options: NodeOptions,
  place: Pick<NodeSettings, 'name' | 'podCidrs' | 'addresses' | 'port' | 'server'>,
): NodeSettings {
  const { labels = {}, annotations = {}, taints = [], drivers = [], maxParallelPulls = MAX_PARALLEL_PULLS } = options;
  return { ...place, labels, annotations, taints, drivers, maxParallelPulls, ...behaviorOf(options) };
}

/** All members, so that the compiler tells of one that is forgotten. */
function behaviorOf(options: NodeBehavior): { [Name in keyof Required<NodeBehavior>]: NodeBehavior[Name] } {
  const { staticPods, eviction, images, shutdown, allowedUnsafeSysctls, userNamespaceIds, changeDetection } = options;
  const { reporting, maxRestartDelay, seccompDefault } = options;
  return {
    ...{ staticPods, eviction, images, shutdown, allowedUnsafeSysctls, userNamespaceIds, changeDetection },
    ...{ reporting, maxRestartDelay, seccompDefault },
  };
}

interface RunningOptions extends NodeOptions {
  readonly scopes: { readonly pods?: ObjectSelection; readonly nodes?: ObjectSelection };
}

class RunningNodes implements PreparedPart {
  /** Agents of the nodes whose backend is open, by name. */
  readonly #agents = new Map<string, NodeAgent>();
  readonly #starts: readonly NodeStart[];
  readonly #pods: KeyedWorkers;
  /** Separate from the pods, so that a busy node still renews its lease. */
  readonly #heartbeats: KeyedWorkers;
  readonly #beats: NodeBeats;
  readonly #services: ServiceVariables;

  constructor(context: ProgramContext, nodes: readonly NodeSettings[], options: RunningOptions) {
    const { clock, random, log } = context;
    const { scopes, concurrency = POD_WORKERS } = options;
    const workers = (name: string, atOnce: number): KeyedWorkers =>
      context.workers(name, {
        concurrency: atOnce,
        rateLimiter: new ItemBackoff({ initialDelay: FIRST_RETRY_MS, maxDelay: LAST_RETRY_MS }),
        work: (key, { signal }) => this.#perform(key, signal),
      });
    this.#pods = workers('node_pods', concurrency);
    this.#heartbeats = workers('node_heartbeats', HEARTBEAT_WORKERS);
    this.#beats = new NodeBeats(clock);

    const pods = context.objects(Pod, scopes.pods);
    const podInformer = context.informer(Pod, scopes.pods);
    const services = context.objects(Service);
    this.#services = new ServiceVariables({ list: (namespace) => services.list({ namespace }) });
    const podsOf = (name: string): string[] => pods.byIndex(podsByNode, name).map(keyOf);
    const opened = (agent: NodeAgent): void => {
      this.#agents.set(agent.name, agent);
      options.onAgent?.(agent);
    };
    this.#starts = nodes.map((node) => {
      const client = context.clientOf(node.name);
      return new NodeStart(node, options.backend, {
        client,
        clock,
        random,
        log: log.with({ node: node.name }),
        events: context.events(COMPONENT, { host: node.name }),
        pods: context.objects(Pod, scopes.pods, node.name),
        nodes: context.objects(Node, scopes.nodes, node.name),
        services: this.#services,
        ...{ podsOf, network: options.network },
        hasSynced: () => podInformer.hasSynced,
        isRegistered: context.seenUpTo !== undefined,
        plan: (task, afterMs = 0) => this.#plan(node.name, task, afterMs),
        opened,
      });
    });
    this.#listen(context, scopes);
  }

  async run(signal: AbortSignal): Promise<void> {
    using _beats = this.#beats;
    const tasks = [this.#pods, this.#heartbeats, ...this.#starts];
    const everyone = { run: (scope: AbortSignal) => runApart(tasks, scope) };
    await runTogether([everyone, { run: aborted }], signal);
  }

  #plan(node: string, task: NodeTask, afterMs: number): void {
    const key = workKey(node, task);
    if (task.type === 'pod') this.#pods.addAfter(key, afterMs);
    else if (task.type === 'register' || afterMs <= 0) this.#heartbeats.addAfter(key, afterMs);
    else this.#beats.plan({ node, type: task.type, afterMs }, () => this.#heartbeats.add(key));
  }

  async #perform(key: string, signal: AbortSignal): Promise<void> {
    const [node, task] = parseWorkKey(key);
    await this.#agents.get(node)?.perform(task, signal);
  }

  #listen(context: ProgramContext, scopes: RunningOptions['scopes']): void {
    const podChanged = (pod: Observed<Pod>, old?: Observed<Pod>): void => {
      this.#agents.get(pod.spec?.nodeName ?? '')?.podChanged(pod);
      const before = old?.spec?.nodeName;
      if (before !== undefined && before !== pod.spec?.nodeName) this.#agents.get(before)?.podRemoved(pod);
    };
    const podRemoved = (pod: Observed<Pod>): void => this.#agents.get(pod.spec?.nodeName ?? '')?.podRemoved(pod);
    const nodeChanged = (node: Observed<Node>, old: Observed<Node>): void =>
      this.#agents.get(node.metadata.name)?.nodeChanged(node, old);
    const serviceChanged = (): void => this.#services.serviceChanged();
    context.onChange(Pod, { add: (pod) => podChanged(pod), update: podChanged, delete: podRemoved }, scopes.pods);
    context.onChange(Node, { update: nodeChanged }, scopes.nodes);
    context.onChange(Service, { add: serviceChanged, update: serviceChanged, delete: serviceChanged });
  }
}

/** Runs each task with a separate signal: one signal is slow with thousands of listeners. */
async function runApart(tasks: readonly Runnable[], signal: AbortSignal): Promise<void> {
  const scopes = tasks.map(() => new AbortController());
  const stopAll = (): void => scopes.forEach((scope) => scope.abort(signal.reason));
  if (signal.aborted) stopAll();
  else signal.addEventListener('abort', stopAll, { once: true });
  for (const scope of scopes) setMaxListeners(0, scope.signal);
  const runs = tasks.map(async (task, index) => {
    try {
      await task.run((scopes[index] as AbortController).signal);
    } catch (error) {
      stopAll();
      throw error;
    }
  });
  const results = await Promise.allSettled(runs);
  signal.removeEventListener('abort', stopAll);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** The key of a node's task in the work queue: `<node> renew`, or `<node> pod <namespace>/<name>`. Names contain no spaces. */
function workKey(node: string, task: NodeTask): string {
  return task.type === 'pod' ? `${node} pod ${task.key}` : `${node} ${task.type}`;
}

function parseWorkKey(text: string): [node: string, task: NodeTask] {
  const [node = '', type, key = ''] = text.split(' ') as [string, NodeTask['type'], string?];
  return [node, type === 'pod' ? { type, key } : { type }];
}
