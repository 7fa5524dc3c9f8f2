import { Buffer } from 'node:buffer';
import { type Clock, deepEqual, type Random } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
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
  type NodeRuntime,
  type OpenPort,
  type OpenProcess,
  type PodSandboxConfig,
  type PodSandboxFilter,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
  type PortForwardRequest,
  type RuntimeCondition,
  RuntimeError,
  type RuntimeService,
  type RuntimeVersion,
  type ScriptedReadiness,
  type StreamEndpoint,
} from '../runtime/index.ts';
import { AddressPool } from './address-pool.ts';
import { setupOf, UNKNOWN_SETUP } from './container-setup.ts';
import { remembered } from './recover.ts';
import { SandboxRegistry } from './sandbox-registry.ts';
import { httpBody, sandboxFailure } from './script.ts';
import { ScriptedActions } from './scripted-actions.ts';
import { ScriptedLogs } from './scripted-logs.ts';
import { scriptedPort } from './scripted-port.ts';
import { runToEnd } from './run-to-end.ts';
import { attachToShell, runScripted } from './scripted-process.ts';
import { type LookUpFiles, SimulatedContainer, type SimulatedContainerParts } from './simulated-container.ts';
import { fullImageName, imageReference, SimulatedImages } from './simulated-images.ts';
import { SimulatedSandbox } from './simulated-sandbox.ts';
import { UsageMeter } from './usage-meter.ts';

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Where pods get their addresses from: one range of each IP family at most. */
  readonly podCidrs: readonly string[];
  readonly version: string;
  /** Tells the files of containers' volumes, when a command first looks; all are empty unless given. */
  readonly files?: LookUpFiles;
}

const NEVER = new AbortController().signal;

/** Before `://` in container ids. */
export const SIMULATED = 'simulated';

/**
 * A container runtime without containers: everything starts at once, and runs until it is stopped or its script ends it.
 *
 * It keeps nothing over a restart of the process: what ran is told from what pods report (`podSeen`).
 */
export class SimulatedRuntime implements NodeRuntime, RuntimeService {
  readonly runtime: RuntimeService = this;
  readonly logs: ScriptedLogs;
  readonly actions: ScriptedActions;
  readonly images: SimulatedImages;
  readonly #options: SimulatedRuntimeOptions;
  readonly #clock: Clock;
  readonly #pools: readonly AddressPool[];
  readonly #registry: SandboxRegistry;
  readonly #usage: UsageMeter;

  constructor(options: SimulatedRuntimeOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#pools = options.podCidrs.map((cidr) => new AddressPool(cidr));
    this.images = new SimulatedImages(options.clock);
    this.#registry = new SandboxRegistry(options.clock);
    this.#usage = new UsageMeter(options.clock, this.#registry);
    this.actions = new ScriptedActions(options.clock, (id) => this.#registry.running(id));
    this.logs = new ScriptedLogs(options.clock, (id) => this.#registry.container(id));
  }

  async version(): Promise<RuntimeVersion> {
    return { runtimeName: SIMULATED, runtimeVersion: this.#options.version, runtimeApiVersion: 'v1' };
  }

  async status(): Promise<readonly RuntimeCondition[]> {
    return ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true, reason: '', message: '' }));
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const failure = sandboxFailure(config.annotations);
    if (failure !== undefined) throw new RuntimeError('Failed', failure);
    const { network } = config.linux.securityContext.namespaceOptions;
    const ips = network === 'NODE' ? [] : this.#pools.map((pool) => pool.take());
    const sandbox = new SimulatedSandbox(this.#newId(), config, { createdAtMs: this.#clock.now(), ips });
    this.#registry.addSandbox(sandbox);
    return sandbox.id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const sandbox = this.#registry.findSandbox(id);
    if (sandbox === undefined) return;
    for (const container of sandbox.containers) container.kill();
    sandbox.state = 'SANDBOX_NOTREADY';
    for (const ip of sandbox.ips) for (const pool of this.#pools) pool.release(ip);
    sandbox.ips = [];
  }

  async removePodSandbox(id: string): Promise<void> {
    await this.stopPodSandbox(id);
    const sandbox = this.#registry.findSandbox(id);
    if (sandbox !== undefined) this.#registry.removeSandbox(sandbox);
  }

  async podSandboxStatus(id: string): Promise<PodSandboxStatusResponse> {
    const sandbox = this.#registry.sandbox(id);
    return { status: sandbox.status, containersStatuses: sandbox.containers.map(({ status }) => status) };
  }

  async listPodSandbox(filter: PodSandboxFilter = {}): Promise<readonly PodSandboxStatus[]> {
    return this.#registry.listSandboxes(filter);
  }

  async createContainer({ podSandboxId, config }: CreateContainerRequest): Promise<string> {
    const sandbox = this.#registry.sandbox(podSandboxId);
    if (sandbox.state !== 'SANDBOX_READY')
      throw new RuntimeError('Invalid', `Cannot create container "${config.metadata.name}": its sandbox has stopped`);
    const { metadata, image, labels, annotations, logPath } = config; // nothing else is ever asked for
    const identity = { metadata, image, labels, annotations, logPath };
    const setup = setupOf(config);
    const container = this.#container(sandbox, { identity, setup, id: this.#newId(), createdAtMs: this.#clock.now() });
    const { createFails } = container.script;
    if (createFails !== undefined) throw new RuntimeError('Failed', createFails);
    this.#registry.addContainer(container);
    this.#registry.tell(container, 'CONTAINER_CREATED_EVENT');
    return container.id;
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#registry.container(id);
    container.start();
    this.#registry.tell(container, 'CONTAINER_STARTED_EVENT');
  }

  async stopContainer(id: string, timeoutSeconds: number, { signal }: CallOptions = {}): Promise<void> {
    await this.#registry.findContainer(id)?.stop(timeoutSeconds * 1000, signal);
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#registry.findContainer(id);
    if (container === undefined) return;
    container.kill();
    this.#registry.removeContainer(container);
  }

  async listContainers(filter: ContainerFilter = {}): Promise<readonly ContainerStatus[]> {
    return this.#registry.listContainers(filter);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return this.#registry.container(id).status;
  }

  async containerStats(filter?: ContainerFilter): Promise<readonly ContainerStats[]> {
    return (await this.listContainers(filter)).map((container) => this.#usage.statsOf(container));
  }

  readonly usage: NodeRuntime['usage'] = (pods, node) => this.#usage.of(pods, node);

  async updateContainerResources(): Promise<void> {
    // nothing is used, so nothing is limited
  }

  async reopenContainerLog(): Promise<void> {
    // there are no files
  }

  async execSync(
    id: string,
    cmd: readonly string[],
    { signal = NEVER, timeoutMs }: CallOptions & { readonly timeoutMs?: number } = {},
  ): Promise<ExecSyncResponse> {
    return runToEnd(cmd, { container: await this.#withFiles(id), clock: this.#clock }, { signal, timeoutMs });
  }

  async exec({ containerId, cmd, tty }: ExecRequest): Promise<StreamEndpoint<OpenProcess>> {
    const command = { container: await this.#withFiles(containerId), tty, clock: this.#clock };
    return { type: 'in process', open: (input) => runScripted(cmd, command, input) };
  }

  async attach({ containerId, stdin, tty }: AttachRequest): Promise<StreamEndpoint<OpenProcess>> {
    const container = this.#registry.running(containerId);
    if (stdin && container.setup.stdin !== 'none') {
      await this.#withFiles(containerId);
      return { type: 'in process', open: (input) => attachToShell({ container, tty, clock: this.#clock }, input) };
    }
    return { type: 'in process', open: ({ signal }) => this.logs.attach(container, signal) };
  }

  async portForward({ podSandboxId }: PortForwardRequest): Promise<StreamEndpoint<OpenPort>> {
    const sandbox = this.#registry.sandbox(podSandboxId);
    const { namespace, name } = sandbox.config.metadata;
    const served = { pod: `${namespace}/${name}`, page: () => httpBody(sandbox.annotations) };
    return { type: 'in process', open: (port, sent) => scriptedPort(sent, { ...served, port }) };
  }

  containerEvents(signal: AbortSignal): AsyncIterable<ContainerEvent> {
    return this.#registry.events.listen(signal);
  }

  readiness({ id }: ContainerStatus): ScriptedReadiness {
    return this.#registry.findContainer(id)?.readiness ?? { isStarted: true, isReady: true };
  }

  /** Takes up what the pod reports to run, if it is not known; and what its script says now, if that can be read. */
  podSeen(pod: Observed<Pod>): void {
    const sandbox = this.#registry.sandboxOfPod(pod.metadata.uid) ?? this.#recover(pod);
    const { annotations = {} } = pod.metadata;
    if (sandbox === undefined || deepEqual(sandbox.annotations, annotations)) return;
    const before = sandbox.annotations;
    sandbox.annotations = annotations;
    try {
      for (const container of sandbox.containers) container.followScript();
    } catch (error) {
      sandbox.annotations = before;
      for (const container of sandbox.containers) container.followScript();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#registry[Symbol.dispose]();
  }

  #recover(pod: Observed<Pod>): SimulatedSandbox | undefined {
    const past = remembered(pod, SIMULATED);
    if (past === undefined) return undefined;
    const ips = past.ips.filter((ip) => this.#pools.some((pool) => pool.reserve(ip)));
    const config = { ...past.config, annotations: {} }; // the script is read when all is there
    const sandbox = new SimulatedSandbox(this.#newId(), config, { createdAtMs: past.createdAtMs, ips });
    this.#registry.addSandbox(sandbox);
    for (const { id, identity, startedAtMs, ending } of past.containers) {
      this.images.add(identity.image.image);
      const createdAtMs = startedAtMs ?? past.createdAtMs;
      const container = this.#container(sandbox, { identity, setup: UNKNOWN_SETUP, id, createdAtMs });
      this.#registry.addContainer(container);
      if (ending !== undefined) container.hasEnded(startedAtMs, ending);
      else container.run(createdAtMs);
    }
    return sandbox;
  }

  #container(
    sandbox: SimulatedSandbox,
    parts: Pick<SimulatedContainerParts, 'id' | 'identity' | 'setup' | 'createdAtMs'>,
  ): SimulatedContainer {
    const image = fullImageName(parts.identity.image.image);
    const container: SimulatedContainer = new SimulatedContainer({
      podSandboxId: sandbox.id,
      hostname: sandbox.config.metadata.name,
      imageRef: imageReference(image),
      clock: this.#clock,
      annotations: () => sandbox.annotations,
      onEnd: () => this.#registry.tell(container, 'CONTAINER_STOPPED_EVENT'),
      ...parts,
      identity: {
        ...parts.identity,
        image: { ...parts.identity.image, image },
        logPath: `${sandbox.config.logDirectory}/${parts.identity.logPath}`,
      },
    });
    return container;
  }

  #withFiles(id: string): Promise<SimulatedContainer> {
    return this.#registry.running(id).mounted(this.#clock, this.#options.files);
  }

  #newId(): string {
    return Buffer.from(this.#options.random.bytes(32)).toString('hex');
  }
}
