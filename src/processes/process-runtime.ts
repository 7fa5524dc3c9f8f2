import { Buffer } from 'node:buffer';
import type { Clock, Random } from '../base/index.ts';
import {
  type AttachRequest,
  type CallOptions,
  type ContainerEvent,
  type ContainerFilter,
  type ContainerStats,
  type ContainerStatus,
  type CreateContainerRequest,
  type ExecRequest,
  type ExecSyncResponse,
  type Machine,
  type NodeBackend,
  type OpenPort,
  type OpenProcess,
  type PodSandboxConfig,
  type PodSandboxFilter,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
  type PortForwardRequest,
  RuntimeError,
  type RuntimeService,
  type RuntimeStatus,
  type RuntimeVersion,
  type StreamEndpoint,
} from '../node/index.ts';
import { feed, runCommand, runToEnd } from './container-command.ts';
import { ContainerEventListeners } from './container-event-listeners.ts';
import type { ImageCommand } from './image-commands.ts';
import { localPort } from './local-port.ts';
import { ProcessContainer } from './process-container.ts';
import { usageOfGroups } from './process-groups.ts';
import type { NodeProcesses, ProcessHost } from './process-host.ts';
import { prepareLaunch } from './process-launch.ts';
import type { ProcessPods } from './process-pods.ts';
import { explainTakenPort } from './taken-port.ts';

/** The scheme of container ids, before `://`. */
export const PROCESS = 'process';

const NEVER = new AbortController().signal;
const ID_BYTES = 32;

export interface ProcessRuntimeParts {
  readonly host: ProcessHost;
  readonly node: NodeProcesses;
  readonly pods: ProcessPods;
  readonly machine: Machine;
  /** Runs the sandboxes of all pods, and the containers whose images are not mapped. */
  readonly simulated: Pick<NodeBackend, 'runtime' | 'images'>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A runtime whose containers are processes of this machine where their image is mapped to a command, and simulated otherwise.
 *
 * Sandboxes are those of the simulated runtime: a pod may have containers of both sorts. Processes outlive this object, which is made
 * again when the agent of the node starts again in the same program.
 */
export class ProcessRuntime implements RuntimeService {
  readonly name = PROCESS;
  readonly #parts: ProcessRuntimeParts;
  readonly #containers: ReadonlyMap<string, ProcessContainer>;
  readonly #simulated: RuntimeService;
  /** Ids of containers that this object has made. Earlier ones belong to whatever sandbox their pod has now. */
  readonly #made = new Set<string>();
  readonly #listeners: ContainerEventListeners;

  constructor(parts: ProcessRuntimeParts) {
    this.#parts = parts;
    this.#containers = parts.node.containers;
    this.#simulated = parts.simulated.runtime;
    this.#listeners = new ContainerEventListeners(this.#simulated);
  }

  async version(): Promise<RuntimeVersion> {
    return { ...(await this.#simulated.version()), runtimeName: PROCESS };
  }

  status(options?: CallOptions): Promise<RuntimeStatus> {
    return this.#simulated.status(options);
  }

  async runPodSandbox(config: PodSandboxConfig, options?: CallOptions): Promise<string> {
    const id = await this.#simulated.runPodSandbox(config, options);
    const { uid } = config.metadata;
    const { host, node, pods } = this.#parts;
    if (pods.has(uid) && !node.addresses.has(uid)) node.addresses.set(uid, host.takeAddress());
    return id;
  }

  async stopPodSandbox(id: string, options?: CallOptions): Promise<void> {
    const sandbox = await this.#sandbox(id);
    if (sandbox === undefined) return;
    const containers = this.#processesOf(sandbox);
    for (const container of containers) container.kill();
    await Promise.all(containers.filter(({ state }) => state === 'CONTAINER_RUNNING').map(({ ended }) => ended));
    await this.#simulated.stopPodSandbox(id, options);
    this.#releaseAddress(sandbox.metadata.uid);
  }

  async removePodSandbox(id: string, options?: CallOptions): Promise<void> {
    await this.stopPodSandbox(id, options);
    const sandbox = await this.#sandbox(id);
    for (const container of sandbox === undefined ? [] : this.#processesOf(sandbox)) this.#forget(container);
    await this.#simulated.removePodSandbox(id, options);
  }

  async podSandboxStatus(id: string, options?: CallOptions): Promise<PodSandboxStatusResponse> {
    const lost = this.#lostSandboxes().find((sandbox) => sandbox.id === id);
    const { status, containersStatuses = [] } =
      lost === undefined ? await this.#simulated.podSandboxStatus(id, options) : { status: lost };
    const own = this.#processesOf(status).map((container) => container.status(id));
    return { status, containersStatuses: newestFirst([...containersStatuses, ...own]) };
  }

  async listPodSandbox(filter: PodSandboxFilter = {}, options?: CallOptions): Promise<readonly PodSandboxStatus[]> {
    const all = await this.#simulated.listPodSandbox(filter, options);
    const known = new Set((await this.#simulated.listPodSandbox()).map(({ metadata }) => metadata.uid));
    const lost = this.#lostSandboxes().filter((sandbox) => !known.has(sandbox.metadata.uid));
    return [...all, ...lost.filter((sandbox) => isMatch(sandbox, filter))];
  }

  async createContainer(request: CreateContainerRequest, options?: CallOptions): Promise<string> {
    const { config, sandboxConfig, podSandboxId } = request;
    const { host, node, pods, clock, random, simulated } = this.#parts;
    const command = this.#commandFor(request);
    if (command === undefined) return this.#simulated.createContainer(request, options);
    const { status } = await this.#simulated.podSandboxStatus(podSandboxId);
    if (status.state !== 'SANDBOX_READY')
      throw new RuntimeError('Invalid', `Cannot create container "${config.metadata.name}": its sandbox has stopped`);
    const id = Buffer.from(random.bytes(ID_BYTES)).toString('hex');
    const { metadata, labels, annotations, logDirectory } = sandboxConfig;
    const podAddress = this.addressOf(metadata.uid);
    const container = new ProcessContainer({
      id,
      sandboxId: podSandboxId,
      sandbox: { metadata, labels, annotations, logDirectory },
      config,
      imageRef: (await simulated.images.imageStatus(config.image))?.repoDigests[0] ?? config.image.image,
      launch: await prepareLaunch(command, request, { ...this.#parts, containerId: id, podAddress }),
      ports: pods.portsOf(metadata.uid, config.metadata.name),
      launcher: host.launcher,
      clock,
      onOutput: host.options.onOutput,
      explain: (ended) => explainTakenPort(ended, this.addressOf(ended.podUid), () => host.running()),
      changed: (changed, type) => this.#tell(changed, type),
    });
    node.containers.set(id, container);
    this.#made.add(id);
    this.#tell(container, 'CONTAINER_CREATED_EVENT');
    return id;
  }

  async startContainer(id: string, options?: CallOptions): Promise<void> {
    const container = this.#containers.get(id);
    if (container === undefined) return this.#simulated.startContainer(id, options);
    await this.#parts.host.start(container);
  }

  async stopContainer(id: string, timeoutSeconds: number, options: CallOptions = {}): Promise<void> {
    const container = this.#containers.get(id);
    if (container === undefined) return this.#simulated.stopContainer(id, timeoutSeconds, options);
    await container.stop(timeoutSeconds * 1000, options.signal);
  }

  async removeContainer(id: string, options?: CallOptions): Promise<void> {
    const container = this.#containers.get(id);
    if (container === undefined) return this.#simulated.removeContainer(id, options);
    container.kill();
    if (container.state === 'CONTAINER_RUNNING') await container.ended;
    this.#forget(container);
  }

  async listContainers(filter: ContainerFilter = {}, options?: CallOptions): Promise<readonly ContainerStatus[]> {
    const own = await Promise.all([...this.#containers.values()].map((container) => this.#statusOf(container)));
    const others = await this.#simulated.listContainers(filter, options);
    return [...others, ...own.filter((status) => isMatch(status, filter))];
  }

  async containerStatus(id: string, options?: CallOptions): Promise<ContainerStatus> {
    const container = this.#containers.get(id);
    return container === undefined ? this.#simulated.containerStatus(id, options) : this.#statusOf(container);
  }

  async containerStats(filter: ContainerFilter = {}, options?: CallOptions): Promise<readonly ContainerStats[]> {
    const others = await this.#simulated.containerStats(filter, options);
    const own = (await this.listContainers(filter)).flatMap(({ id }) => this.#containers.get(id) ?? []);
    const usages = await usageOfGroups(
      new Set(own.flatMap(({ pid, state }) => (state === 'CONTAINER_RUNNING' ? (pid ?? []) : []))),
    );
    const measured = own.map((container): ContainerStats => {
      const usage = usages.get(container.pid ?? 0) ?? { cpuNanoseconds: 0, memoryBytes: 0 };
      const { metadata } = container.parts.config;
      return { id: container.id, metadata, ...container.usage(usage), writableLayerBytes: 0 };
    });
    return [...others, ...measured];
  }

  async updateContainerResources(): Promise<void> {
    // processes have no limits but the user's
  }

  async reopenContainerLog(): Promise<void> {
    // logs are moved away by what writes them
  }

  async execSync(
    id: string,
    cmd: readonly string[],
    options: CallOptions & { readonly timeoutMs?: number } = {},
  ): Promise<ExecSyncResponse> {
    if (!this.#containers.has(id)) return this.#simulated.execSync(id, cmd, options);
    const { signal = NEVER, timeoutMs } = options;
    return runToEnd(this.#running(id), cmd, { signal, timeoutMs });
  }

  async exec(request: ExecRequest, options?: CallOptions): Promise<StreamEndpoint<OpenProcess>> {
    const { containerId, cmd, tty } = request;
    if (!this.#containers.has(containerId)) return this.#simulated.exec(request, options);
    const container = this.#running(containerId);
    return { type: 'in process', open: (input) => runCommand(container, cmd, { tty, input }) };
  }

  async attach(request: AttachRequest, options?: CallOptions): Promise<StreamEndpoint<OpenProcess>> {
    const { containerId, stdin } = request;
    if (!this.#containers.has(containerId)) return this.#simulated.attach(request, options);
    const container = this.#running(containerId);
    return {
      type: 'in process',
      open: (input) => {
        const output = container.attach(input.signal);
        if (stdin && input.stdin !== undefined) void feed({ stdin: container.stdin ?? null }, input.stdin);
        return { ...output, exitCode: container.ended.then(() => container.exitCode) };
      },
    };
  }

  async portForward(request: PortForwardRequest, options?: CallOptions): Promise<StreamEndpoint<OpenPort>> {
    const sandbox = await this.#sandbox(request.podSandboxId);
    const isProcess = sandbox !== undefined && this.#parts.pods.has(sandbox.metadata.uid);
    if (!isProcess) return this.#simulated.portForward(request, options);
    return { type: 'in process', open: localPort(this.addressOf(sandbox.metadata.uid)) };
  }

  containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    return this.#listeners.events(signal);
  }

  /** The address of this machine at which a pod's processes are reached. */
  addressOf(podUid: string): string {
    return this.#parts.node.addresses.get(podUid) ?? '127.0.0.1';
  }

  /** Ends listeners. Processes run on. */
  close(): void {
    this.#listeners.close();
  }

  #running(id: string): ProcessContainer {
    const container = this.#containers.get(id);
    if (container?.state === 'CONTAINER_RUNNING') return container;
    throw new RuntimeError('Invalid', `Cannot reach container "${id}": it does not run`);
  }

  #commandFor({ config, sandboxConfig }: CreateContainerRequest): ImageCommand | undefined {
    const { image, userSpecifiedImage = image } = config.image;
    return this.#parts.host.options.commands.find(userSpecifiedImage, sandboxConfig.metadata.namespace);
  }

  #tell({ id, parts }: ProcessContainer, containerEventType: ContainerEvent['containerEventType']): void {
    const event = {
      containerId: id,
      containerEventType,
      createdAtMs: this.#parts.clock.now(),
      pod: parts.sandbox.metadata,
    };
    this.#listeners.notify(event);
  }

  #forget(container: ProcessContainer): void {
    this.#parts.node.containers.delete(container.id);
    this.#made.delete(container.id);
    this.#tell(container, 'CONTAINER_DELETED_EVENT');
  }

  #releaseAddress(podUid: string): void {
    const { host, node } = this.#parts;
    const address = node.addresses.get(podUid);
    if (address === undefined) return;
    node.addresses.delete(podUid);
    host.releaseAddress(address);
  }

  #processesOf({ id, metadata }: Pick<PodSandboxStatus, 'id' | 'metadata'>): readonly ProcessContainer[] {
    return [...this.#containers.values()].filter((container) =>
      this.#made.has(container.id) ? container.parts.sandboxId === id : container.podUid === metadata.uid,
    );
  }

  async #statusOf(container: ProcessContainer): Promise<ContainerStatus> {
    if (this.#made.has(container.id)) return container.status(container.parts.sandboxId);
    const [sandbox] = await this.#simulated.listPodSandbox({ podUid: container.podUid });
    return container.status(sandbox?.id ?? lostId(container.podUid));
  }

  async #sandbox(id: string): Promise<PodSandboxStatus | undefined> {
    const [found] = await this.#simulated.listPodSandbox({ id });
    return found ?? this.#lostSandboxes().find((sandbox) => sandbox.id === id);
  }

  /** Stands for pods whose processes an earlier run of the agent has started and that have gone since, so that they are cleaned up. */
  #lostSandboxes(): readonly PodSandboxStatus[] {
    const earlier = [...this.#containers.values()].filter(({ id }) => !this.#made.has(id));
    const byPod = new Map(earlier.map((container) => [container.podUid, container]));
    return Array.from(byPod.values(), ({ podUid, createdAtMs, parts }) => {
      const { metadata, labels, annotations } = parts.sandbox;
      const network = { ip: '', additionalIps: [] };
      return { id: lostId(podUid), metadata, labels, annotations, state: 'SANDBOX_NOTREADY', createdAtMs, network };
    });
  }
}

function lostId(podUid: string): string {
  return `lost-${podUid}`;
}

function newestFirst(containers: readonly ContainerStatus[]): readonly ContainerStatus[] {
  return containers.toSorted(
    (left, right) => right.createdAtMs - left.createdAtMs || right.metadata.attempt - left.metadata.attempt,
  );
}

interface Matched {
  readonly id: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly podSandboxId?: string;
  readonly metadata: { readonly name: string; readonly uid?: string };
}

type MatchedBy = Partial<Pick<Matched, 'id' | 'state' | 'podSandboxId'>> & {
  readonly podUid?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
};

function isMatch(one: Matched, filter: MatchedBy): boolean {
  const { id = one.id, state = one.state, podSandboxId = one.podSandboxId, podUid = one.metadata.uid } = filter;
  if (id !== one.id || state !== one.state || podSandboxId !== one.podSandboxId || podUid !== one.metadata.uid)
    return false;
  return Object.entries(filter.labelSelector ?? {}).every(([name, value]) => one.labels[name] === value);
}
