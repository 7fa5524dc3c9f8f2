import { Buffer } from 'node:buffer';
import { BoundedQueue, type Clock, deepEqual, type Random } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import {
  type CallOptions,
  type ContainerConfig,
  type ContainerEvent,
  type ContainerEventType,
  type ContainerFilter,
  type ContainerProbes,
  type ContainerStatus,
  type NodeRuntime,
  type PodSandboxConfig,
  type PodSandboxFilter,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
  RuntimeError,
  type RuntimeService,
  type RuntimeVersion,
} from '../runtime/index.ts';
import { AddressPool } from './address-pool.ts';
import { fullImageName, imageReference } from './image-name.ts';
import { remembered } from './recover.ts';
import { sandboxFailure } from './script.ts';
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
export class SimulatedRuntime implements NodeRuntime, RuntimeService, ContainerProbes {
  readonly runtime: RuntimeService = this;
  readonly probes: ContainerProbes = this;
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
  }

  async version(): Promise<RuntimeVersion> {
    return { runtimeName: SIMULATED, runtimeVersion: this.#options.version, runtimeApiVersion: 'v1' };
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const failure = sandboxFailure(config.annotations);
    if (failure !== undefined) throw new RuntimeError('Failed', failure);
    const ips = config.networkMode === 'NODE' ? [] : this.#pools.map((pool) => pool.take());
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

  async createContainer(podSandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandbox(podSandboxId);
    if (sandbox.state !== 'SANDBOX_READY')
      throw new RuntimeError('Invalid', `Cannot create container "${config.metadata.name}": its sandbox has stopped`);
    const container = this.#container(sandbox, { config, id: this.#newId(), createdAtMs: this.#clock.now() });
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

  result({ id }: ContainerStatus): ReturnType<ContainerProbes['result']> {
    return this.#containers.get(id)?.probe ?? { isStarted: true, isReady: true };
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

  #recover(pod: Observed<Pod>): SimulatedSandbox | undefined {
    const past = remembered(pod, SIMULATED);
    if (past === undefined) return undefined;
    const ips = past.ips.filter((ip) => this.#pools.some((pool) => pool.reserve(ip)));
    const config = { ...past.config, annotations: {} }; // the script is read when all is there
    const sandbox = new SimulatedSandbox(this.#newId(), config, { createdAtMs: past.createdAtMs, ips });
    this.#addSandbox(sandbox);
    for (const { id, config, startedAtMs, ending } of past.containers) {
      this.images.add(config.image.image);
      const createdAtMs = startedAtMs ?? past.createdAtMs;
      const container = this.#container(sandbox, { config, id, createdAtMs });
      this.#addContainer(sandbox, container);
      if (ending !== undefined) container.hasEnded(startedAtMs, ending);
      else container.run(createdAtMs);
    }
    return sandbox;
  }

  #container(
    sandbox: SimulatedSandbox,
    parts: { readonly id: string; readonly config: ContainerConfig; readonly createdAtMs: number },
  ): SimulatedContainer {
    const image = fullImageName(parts.config.image.image);
    return new SimulatedContainer({
      ...parts,
      config: { ...parts.config, image: { ...parts.config.image, image } },
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
