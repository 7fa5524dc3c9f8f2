import { Buffer } from 'node:buffer';
import { BoundedQueue, type Clock, deepEqual, type Random } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import {
  type AttachRequest,
  type CallOptions,
  type ContainerEvent,
  type ContainerEventType,
  type ContainerFilter,
  type ContainerIdentity,
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
  type RuntimeCondition,
  RuntimeError,
  type RuntimeService,
  type RuntimeVersion,
  type ScriptedReadiness,
  type StreamEndpoint,
} from '../runtime/index.ts';
import { AddressPool } from './address-pool.ts';
import { fullImageName, imageReference } from './image-name.ts';
import { remembered } from './recover.ts';
import { sandboxFailure } from './script.ts';
import { ScriptedActions } from './scripted-actions.ts';
import { ScriptedLogs } from './scripted-logs.ts';
import { echo, runScripted, scriptedOutput } from './scripted-process.ts';
import { SimulatedContainer } from './simulated-container.ts';
import { SimulatedImages } from './simulated-images.ts';
import { SimulatedSandbox } from './simulated-sandbox.ts';

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Where pods get their addresses from: one range of each IP family at most. */
  readonly podCidrs: readonly string[];
  readonly version: string;
}

/** Before `://` in container ids. */
export const SIMULATED = 'simulated';
/** A listener that is behind by more events than this has to look for itself. */
const MOST_EVENTS = 10_000;

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
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  readonly #sandboxOfPod = new Map<string, SimulatedSandbox>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #listeners = new Set<BoundedQueue<ContainerEvent>>();

  constructor(options: SimulatedRuntimeOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#pools = options.podCidrs.map((cidr) => new AddressPool(cidr));
    this.images = new SimulatedImages(options.clock);
    this.actions = new ScriptedActions(options.clock, (id) => this.#running(id));
    this.logs = new ScriptedLogs(options.clock, (id) => this.#find(id));
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
    return this.#addSandbox(new SimulatedSandbox(this.#newId(), config, { createdAtMs: this.#clock.now(), ips })).id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of sandbox.containers) container.kill();
    sandbox.state = 'SANDBOX_NOTREADY';
    for (const ip of sandbox.ips) for (const pool of this.#pools) pool.release(ip);
    sandbox.ips = [];
  }

  async removePodSandbox(id: string): Promise<void> {
    await this.stopPodSandbox(id);
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of [...sandbox.containers]) this.#forget(sandbox, container);
    this.#sandboxes.delete(id);
    const { uid } = sandbox.config.metadata;
    if (this.#sandboxOfPod.get(uid) === sandbox) this.#sandboxOfPod.delete(uid);
  }

  async podSandboxStatus(id: string): Promise<PodSandboxStatusResponse> {
    const sandbox = this.#sandbox(id);
    return { status: sandbox.status, containersStatuses: sandbox.containers.map(({ status }) => status) };
  }

  async listPodSandbox({ id, state, podUid }: PodSandboxFilter = {}): Promise<readonly PodSandboxStatus[]> {
    const ofPod = podUid === undefined ? undefined : this.#sandboxOfPod.get(podUid);
    const among = podUid === undefined ? this.#sandboxes.values() : ofPod === undefined ? [] : [ofPod];
    return [...among]
      .map(({ status }) => status)
      .filter((status) => (id === undefined || status.id === id) && (state === undefined || status.state === state));
  }

  async createContainer({ podSandboxId, config }: CreateContainerRequest): Promise<string> {
    const sandbox = this.#sandbox(podSandboxId);
    if (sandbox.state !== 'SANDBOX_READY')
      throw new RuntimeError('Invalid', `Cannot create container "${config.metadata.name}": its sandbox has stopped`);
    const { metadata, image, labels, annotations, logPath } = config; // nothing else is ever asked for
    const identity = { metadata, image, labels, annotations, logPath };
    const container = this.#container(sandbox, { identity, id: this.#newId(), createdAtMs: this.#clock.now() });
    const { createFails } = container.script;
    if (createFails !== undefined) throw new RuntimeError('Failed', createFails);
    this.#addContainer(sandbox, container);
    this.#tell(container.id, 'CONTAINER_CREATED_EVENT', sandbox);
    return container.id;
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#find(id);
    container.start();
    this.#tell(id, 'CONTAINER_STARTED_EVENT', this.#sandbox(container.podSandboxId));
  }

  async stopContainer(id: string, timeoutSeconds: number, { signal }: CallOptions = {}): Promise<void> {
    await this.#containers.get(id)?.stop(timeoutSeconds * 1000, signal);
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    container.kill();
    this.#forget(this.#sandbox(container.podSandboxId), container);
  }

  async listContainers({ id, state, podSandboxId }: ContainerFilter = {}): Promise<readonly ContainerStatus[]> {
    const sandbox = podSandboxId === undefined ? undefined : this.#sandboxes.get(podSandboxId);
    const among = podSandboxId === undefined ? this.#containers.values() : (sandbox?.containers ?? []);
    return [...among]
      .map(({ status }) => status)
      .filter((status) => (id === undefined || status.id === id) && (state === undefined || status.state === state));
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return this.#find(id).status;
  }

  async containerStats(filter?: ContainerFilter): Promise<readonly ContainerStats[]> {
    const timestampMs = this.#clock.now();
    return (await this.listContainers(filter)).map(({ id, metadata }) => {
      return { id, metadata, timestampMs, usageCoreNanoSeconds: 0, workingSetBytes: 0, writableLayerBytes: 0 };
    });
  }

  async updateContainerResources(): Promise<void> {
    // nothing is used, so nothing is limited
  }

  async reopenContainerLog(): Promise<void> {
    // there are no files
  }

  async execSync(id: string, cmd: readonly string[]): Promise<ExecSyncResponse> {
    return scriptedOutput(this.#running(id).script, cmd);
  }

  async exec({ containerId, cmd }: ExecRequest): Promise<StreamEndpoint<OpenProcess>> {
    const { script } = this.#running(containerId);
    return { type: 'in process', open: (input) => runScripted(script, cmd, input) };
  }

  async attach({ containerId }: AttachRequest): Promise<StreamEndpoint<OpenProcess>> {
    const container = this.#running(containerId);
    return { type: 'in process', open: ({ signal }) => this.logs.attach(container, signal) };
  }

  async portForward(): Promise<StreamEndpoint<OpenPort>> {
    return { type: 'in process', open: (_port, sent) => echo(sent) };
  }

  async *containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    const events = new BoundedQueue<ContainerEvent>(MOST_EVENTS, { onClose: () => this.#listeners.delete(events) });
    const end = (): void => events.close();
    this.#listeners.add(events);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      yield* events;
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  readiness({ id }: ContainerStatus): ScriptedReadiness {
    return this.#containers.get(id)?.readiness ?? { isStarted: true, isReady: true };
  }

  /** Takes up what the pod reports to run, if it is not known; and what its script says now, if that can be read. */
  podSeen(pod: Observed<Pod>): void {
    const sandbox = this.#sandboxOfPod.get(pod.metadata.uid) ?? this.#recover(pod);
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
    for (const container of this.#containers.values()) container[Symbol.dispose]();
    for (const listener of this.#listeners) listener.close();
  }

  #running(id: string): SimulatedContainer {
    const container = this.#find(id);
    if (container.state === 'CONTAINER_RUNNING') return container;
    throw new RuntimeError('Invalid', `Cannot reach container "${id}": it is in state ${container.state}`);
  }

  #recover(pod: Observed<Pod>): SimulatedSandbox | undefined {
    const past = remembered(pod, SIMULATED);
    if (past === undefined) return undefined;
    const ips = past.ips.filter((ip) => this.#pools.some((pool) => pool.reserve(ip)));
    const config = { ...past.config, annotations: {} }; // the script is read when all is there
    const sandbox = new SimulatedSandbox(this.#newId(), config, { createdAtMs: past.createdAtMs, ips });
    this.#addSandbox(sandbox);
    for (const { id, identity, startedAtMs, ending } of past.containers) {
      this.images.add(identity.image.image);
      const createdAtMs = startedAtMs ?? past.createdAtMs;
      const container = this.#container(sandbox, { identity, id, createdAtMs });
      this.#addContainer(sandbox, container);
      if (ending !== undefined) container.hasEnded(startedAtMs, ending);
      else container.run(createdAtMs);
    }
    return sandbox;
  }

  #container(
    sandbox: SimulatedSandbox,
    parts: { readonly id: string; readonly identity: ContainerIdentity; readonly createdAtMs: number },
  ): SimulatedContainer {
    const image = fullImageName(parts.identity.image.image);
    return new SimulatedContainer({
      ...parts,
      identity: {
        ...parts.identity,
        image: { ...parts.identity.image, image },
        logPath: `${sandbox.config.logDirectory}/${parts.identity.logPath}`,
      },
      podSandboxId: sandbox.id,
      imageRef: imageReference(image),
      clock: this.#clock,
      annotations: () => sandbox.annotations,
      onEnd: () => this.#tell(parts.id, 'CONTAINER_STOPPED_EVENT', sandbox),
    });
  }

  #addSandbox(sandbox: SimulatedSandbox): SimulatedSandbox {
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#sandboxOfPod.set(sandbox.config.metadata.uid, sandbox);
    return sandbox;
  }

  #addContainer(sandbox: SimulatedSandbox, container: SimulatedContainer): void {
    this.#containers.set(container.id, container);
    sandbox.containers.unshift(container);
    const runs = sandbox.containers.filter(({ name }) => name === container.name);
    for (const old of runs.slice(2)) this.#forget(sandbox, old); // only the last run before this one is ever asked for
  }

  #forget(sandbox: SimulatedSandbox, container: SimulatedContainer): void {
    container[Symbol.dispose]();
    this.#containers.delete(container.id);
    sandbox.containers.splice(sandbox.containers.indexOf(container), 1);
    this.#tell(container.id, 'CONTAINER_DELETED_EVENT', sandbox);
  }

  #tell(containerId: string, containerEventType: ContainerEventType, sandbox: SimulatedSandbox): void {
    const event = { containerId, containerEventType, createdAtMs: this.#clock.now(), pod: sandbox.config.metadata };
    for (const listener of this.#listeners) if (!listener.offer(event)) listener.close();
  }

  #sandbox(id: string): SimulatedSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) throw new RuntimeError('NotFound', `Cannot find sandbox "${id}": there is none`);
    return sandbox;
  }

  #find(id: string): SimulatedContainer {
    const container = this.#containers.get(id);
    if (container === undefined) throw new RuntimeError('NotFound', `Cannot find container "${id}": there is none`);
    return container;
  }

  #newId(): string {
    return Buffer.from(this.#options.random.bytes(32)).toString('hex');
  }
}
