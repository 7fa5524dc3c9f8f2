import { setMaxListeners } from 'node:events';
import { aborted, type Runnable, runTogether } from '../base/index.ts';
import { type ObjectSelection, ItemBackoff, keyOf, Node, type Observed, Pod, Service } from '../client/index.ts';
import {
  type ProgramContext,
  type KeyedWorkers,
  type ProgramPart,
  podsByNode,
  type PreparedPart,
} from '../kit/index.ts';
import { ReferencedObjects, ServiceVariables } from './config/index.ts';
import {
  DEFAULT_CAPACITY,
  defaultAddress,
  defaultPodCidr,
  type NodeDescription,
  type RuntimeFactory,
} from './machine/index.ts';
import { NodeBeats } from './node-beats.ts';
import { NodeAgent, type NodeTask } from './node-agent.ts';
import { SIMULATED, SimulatedRuntime, type SimulatedRuntimeOptions } from './simulated/index.ts';
import { ApiVolumeData, containerFiles } from './volumes/index.ts';

export interface NodeOptions {
  /** Overrules what a node has unless told otherwise; see `DEFAULT_CAPACITY`. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NodeDescription['taints'];
  /** What nodes report to run; `v1.36.3+keelson` unless given. */
  readonly kubeletVersion?: string;
  /** In Go's spelling; `amd64` unless given. */
  readonly architecture?: string;
  /** Makes the runtime of each node; a simulated one unless given. */
  readonly runtime?: { readonly name: string; readonly create: RuntimeFactory };
  /** The drivers whose volumes nodes can mount; none unless given. */
  readonly drivers?: readonly string[];
  /** Pods that are seen to at once, over all nodes; 64 unless given. */
  readonly concurrency?: number;
  /** Called with each node's agent when it is made: the way to `NodeAgent.streams`. */
  readonly onAgent?: (agent: NodeAgent) => void;
}

export interface NodeAgentsOptions extends NodeOptions {
  /** `keelson` unless given. */
  readonly names?: readonly string[];
  /** Where they stand among the nodes of all processes: ranges and addresses are counted from there; 0 unless given. */
  readonly firstIndex?: number;
  /** The pod ranges of each node; from 10.244.0.0/24 on unless given. */
  readonly podCidrs?: (index: number) => readonly string[];
  /** The node's own addresses; from 10.0.0.1 on unless given. */
  readonly addresses?: (index: number) => readonly string[];
  /** Where the server of a node listens; nowhere unless given. */
  readonly port?: (name: string) => number;
}

export interface NodeAgentOptions extends NodeOptions {
  readonly name?: string;
  /** See `NodeAgentsOptions`. */
  readonly firstIndex?: number;
  readonly podCidrs?: readonly string[];
  readonly addresses?: readonly string[];
  /** Where its server listens; nowhere unless given. */
  readonly port?: number;
}

const DEFAULT_NAME = 'keelson';
const DEFAULT_KUBELET_VERSION = 'v1.36.3+keelson';
const COMPONENT = 'kubelet';
const POD_WORKERS = 64;
const HEARTBEAT_WORKERS = 16;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

/** The names of so many nodes: `keelson` for one, `keelson-1` and on for more, or another name in its place. */
export function nodeNames(count: number, name = DEFAULT_NAME): string[] {
  return count === 1 ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}

/** Any number of nodes in one process, with one watch of pods and one of nodes for all. */
export function nodeAgents(options: NodeAgentsOptions = {}): ProgramPart {
  const { names = nodeNames(1), firstIndex = 0, podCidrs, addresses, port } = options;
  const nodes = names.map((name, index) =>
    describe(options, {
      name,
      podCidrs: podCidrs?.(index) ?? [defaultPodCidr(firstIndex + index)],
      addresses: addresses?.(index) ?? [defaultAddress(firstIndex + index)],
      ...(port === undefined ? {} : { port: port(name) }),
    }),
  );
  return {
    name: 'nodes',
    holds: [Pod],
    prepare: (context) => new RunningNodes(context, nodes, { ...options, scopes: {} }),
  };
}

/** A single node, which watches nothing but itself and its own pods. */
export function nodeAgent(options: NodeAgentOptions = {}): ProgramPart {
  const { name = DEFAULT_NAME, firstIndex = 0, port } = options;
  const { podCidrs = [defaultPodCidr(firstIndex)], addresses = [defaultAddress(firstIndex)] } = options;
  const node = describe(options, { name, podCidrs, addresses, ...(port === undefined ? {} : { port }) });
  const scopes = {
    pods: { fieldSelector: `spec.nodeName=${name}` },
    nodes: { fieldSelector: `metadata.name=${name}` },
  };
  return {
    name: `node ${name}`,
    holds: [Pod],
    prepare: (context) => new RunningNodes(context, [node], { ...options, scopes }),
  };
}

function describe(
  {
    capacity,
    labels = {},
    taints = [],
    kubeletVersion = DEFAULT_KUBELET_VERSION,
    architecture = 'amd64',
    drivers = [],
  }: NodeOptions,
  place: Pick<NodeDescription, 'name' | 'podCidrs' | 'addresses' | 'port'>,
): NodeDescription {
  return {
    ...place,
    capacity: { ...DEFAULT_CAPACITY, ...capacity },
    labels,
    taints,
    operatingSystem: 'linux',
    architecture,
    kubeletVersion,
    drivers,
  };
}

interface RunningOptions extends NodeOptions {
  readonly scopes: { readonly pods?: ObjectSelection; readonly nodes?: ObjectSelection };
}

class RunningNodes implements PreparedPart {
  readonly #agents = new Map<string, NodeAgent>();
  readonly #pods: KeyedWorkers;
  /** Apart from the pods, so that a node with much to do does not look dead. */
  readonly #heartbeats: KeyedWorkers;
  readonly #beats: NodeBeats;
  readonly #services: ServiceVariables;

  constructor(context: ProgramContext, nodes: readonly NodeDescription[], options: RunningOptions) {
    const { clock, random, log } = context;
    const { scopes, concurrency = POD_WORKERS, runtime = simulated(context, scopes) } = options;
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
    const services = context.objects(Service);
    this.#services = new ServiceVariables({ list: (namespace) => services.list({ namespace }) });
    for (const node of nodes) {
      const client = context.clientOf(node.name);
      const agent = new NodeAgent(node, runtime.create(node), {
        client,
        clock,
        random,
        log: log.with({ node: node.name }),
        events: context.events(COMPONENT, { host: node.name }),
        pods: context.objects(Pod, scopes.pods, node.name),
        nodes: context.objects(Node, scopes.nodes, node.name),
        sources: { data: new ReferencedObjects(client), services: this.#services },
        runtimeName: runtime.name,
        podsOf: (name) => pods.byIndex(podsByNode, name).map(keyOf),
        isRegistered: context.seenUpTo !== undefined,
        plan: (task, afterMs = 0) => this.#plan(node.name, task, afterMs),
      });
      this.#agents.set(node.name, agent);
      options.onAgent?.(agent);
    }
    this.#listen(context, scopes);
  }

  async run(signal: AbortSignal): Promise<void> {
    using _beats = this.#beats;
    const tasks = [this.#pods, this.#heartbeats, ...this.#agents.values()];
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

/** Runs each task with a signal of its own: thousands of listeners are too many for one. */
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

function simulated(
  context: ProgramContext,
  scopes: RunningOptions['scopes'],
): { readonly name: string; readonly create: RuntimeFactory } {
  const { clock, random } = context;
  const pods = context.objects(Pod, scopes.pods);
  const create: RuntimeFactory = ({ name, podCidrs, kubeletVersion, addresses, capacity }) => {
    const data = new ApiVolumeData(context.clientOf(name));
    const files: SimulatedRuntimeOptions['files'] = async ({ podUid, ...container }) => {
      const pod = pods.byIndex(podsByNode, name).find(({ metadata }) => metadata.uid === podUid);
      if (pod === undefined) return [];
      const podIps = (pod.status?.podIPs ?? []).map(({ ip }) => ip ?? '');
      return containerFiles(pod, container, { data, podIps, hostIps: addresses, allocatable: capacity });
    };
    return new SimulatedRuntime({ clock, random, podCidrs, version: kubeletVersion.replace(/^v/, ''), files });
  };
  return { name: SIMULATED, create };
}

/** A node's task as the workers know it: `<node> renew`, or `<node> pod <namespace>/<name>`. No name has a space in it. */
function workKey(node: string, task: NodeTask): string {
  return task.type === 'pod' ? `${node} pod ${task.key}` : `${node} ${task.type}`;
}

function parseWorkKey(text: string): [node: string, task: NodeTask] {
  const [node = '', type, key = ''] = text.split(' ') as [string, NodeTask['type'], string?];
  return [node, type === 'pod' ? { type, key } : { type }];
}
