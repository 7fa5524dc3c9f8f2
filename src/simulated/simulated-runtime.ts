import { Buffer } from 'node:buffer';
import { type Clock, deepEqual, type Random, Turns } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
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
  type LinuxContainerResources,
  type Machine,
  type OpenPort,
  type OpenProcess,
  podFolder,
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
import { type FileSource, recoveredSetup, setupOf } from './container-setup.ts';
import type { PodAddresses } from './pod-addresses.ts';
import { remembered } from './recover.ts';
import { ResolverTexts } from './resolver-texts.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import { httpBody, sandboxFailure } from './script.ts';
import type { ScriptedLogs } from './scripted-logs.ts';
import { scriptedPort } from './scripted-port.ts';
import { runToEnd } from './run-to-end.ts';
import { attachToMain, attachToShell, runScripted } from './scripted-process.ts';
import { SimulatedContainer, type SimulatedContainerParts } from './simulated-container.ts';
import { fullImageName, type SimulatedImages } from './simulated-images.ts';
import { SIMULATED_STATUS } from './simulated-machine.ts';
import { SimulatedSandbox } from './simulated-sandbox.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: PodAddresses;
  readonly version: string;
  readonly machine: Machine;
  readonly registry: SandboxRegistry;
  readonly images: SimulatedImages;
  readonly logs: ScriptedLogs;
  readonly usage: UsageMeter;
  /** The files of containers' mounts, read when a command first needs them. */
  readonly content: FileSource['content'];
  /** Whether `content` has every path of the machine; default those below the agent's folder. */
  readonly readsMachine?: boolean;
}

const NEVER = new AbortController().signal;

/** The label of a Job's pods. */
const JOB_NAME = 'batch.kubernetes.io/job-name';

/** The scheme of container ids, before `://`. */
export const SIMULATED = 'simulated';
/** Also the name of the runtime that runs some containers as processes and simulates the others. */
const RUNTIME_NAMES = [SIMULATED, 'process'];

/**
 * A container runtime without containers: everything starts at once. A small shell runs the programs that it knows.
 *
 * It stores nothing across restarts of the process: the state is rebuilt from the status of pods (`podUpdated`).
 */
export class SimulatedRuntime implements RuntimeService {
  readonly name = SIMULATED;
  readonly #options: SimulatedRuntimeOptions;
  readonly #clock: Clock;
  readonly #addresses: PodAddresses;
  readonly #registry: SandboxRegistry;
  readonly #turns = new Turns();
  readonly #resolvers = new ResolverTexts();

  constructor(options: SimulatedRuntimeOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#addresses = options.addresses;
    this.#registry = options.registry;
  }

  async version(): Promise<RuntimeVersion> {
    return { runtimeName: SIMULATED, runtimeVersion: this.#options.version, runtimeApiVersion: 'v1' };
  }

  async status(): Promise<RuntimeStatus> {
    return SIMULATED_STATUS;
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const failure = sandboxFailure(config.annotations);
    if (failure !== undefined) throw new RuntimeError('Failed', failure);
    const { network } = config.linux.securityContext.namespaceOptions;
    const ips = network === 'NODE' ? [] : this.#addresses.take();
    const sandbox = new SimulatedSandbox(this.#newId(), config, { createdAtMs: this.#clock.now(), ips });
    sandbox.resolver = this.#resolvers.of(config.dnsConfig);
    this.#registry.addSandbox(sandbox);
    return sandbox.id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const sandbox = this.#registry.findSandbox(id);
    if (sandbox === undefined) return;
    for (const container of sandbox.containers) container.kill();
    sandbox.stop();
    this.#addresses.release(sandbox.ips);
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
    const { metadata, image, labels, annotations, logPath } = config; // nothing else is ever read
    const identity = { metadata, image, labels, annotations, logPath };
    const setup = setupOf(config, podFolder(this.#options.machine.folders.root, sandbox.config.metadata.uid));
    const container = this.#container(sandbox, { identity, setup, id: this.#newId(), createdAtMs: this.#clock.now() });
    const { createFails } = container.script;
    if (createFails !== undefined) throw new RuntimeError('Failed', createFails);
    this.#registry.addContainer(container);
    container.setPlaces(config.linux.resources);
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
    return (await this.listContainers(filter)).map((container) => this.#options.usage.statsOf(container));
  }

  /** Nothing is used, so nothing is limited: only the files that say where the container may run change. */
  async updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void> {
    this.#registry.findContainer(id)?.setPlaces(resources);
  }

  async reopenContainerLog(): Promise<void> {} // there are no files

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
    if (stdin && container.input !== undefined) {
      return { type: 'in process', open: (input) => attachToMain(container, input, this.#options.logs) };
    }
    if (stdin && container.isInteractive) {
      await this.#withFiles(containerId);
      return { type: 'in process', open: (input) => attachToShell({ container, tty, clock: this.#clock }, input) };
    }
    return { type: 'in process', open: ({ signal }) => this.#options.logs.attach(container, signal) };
  }

  async portForward({ podSandboxId }: PortForwardRequest): Promise<StreamEndpoint<OpenPort>> {
    const sandbox = this.#registry.sandbox(podSandboxId);
    const { namespace, name } = sandbox.config.metadata;
    const served = {
      pod: `${namespace}/${name}`,
      page: () => httpBody(sandbox.annotations),
      containers: () => sandbox.containers.filter(({ state }) => state === 'CONTAINER_RUNNING'),
    };
    const open: OpenPort = (port, sent, { signal }) => scriptedPort(sent, { ...served, port, signal });
    return { type: 'in process', open, ended: sandbox.stopped };
  }

  containerEvents(signal: AbortSignal): AsyncIterable<ContainerEvent> {
    return this.#registry.events.listen(signal);
  }

  /** Adopts the sandbox that the pod's status reports, if it is unknown, and applies the pod's current script, if it is valid. */
  podUpdated(pod: Observed<Pod>): void {
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

  #recover(pod: Observed<Pod>): SimulatedSandbox | undefined {
    const past = remembered(pod, RUNTIME_NAMES, this.#options.machine);
    if (past === undefined) return undefined;
    const ips = this.#addresses.reserve(past.ips);
    const config = { ...past.config, annotations: {} }; // the script is read when everything is in place
    const sandbox = new SimulatedSandbox(this.#newId(), config, { createdAtMs: past.createdAtMs, ips });
    this.#registry.addSandbox(sandbox);
    for (const { id, identity, spec, startedAtMs, ending } of past.containers) {
      this.#options.images.add(identity.image.image);
      const createdAtMs = startedAtMs ?? past.createdAtMs;
      const setup = recoveredSetup(pod, spec, this.#options.machine.folders.root);
      const container = this.#container(sandbox, { identity, setup, id, createdAtMs });
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
    const { content, readsMachine = false, machine } = this.#options;
    const { root } = machine.folders;
    const image = fullImageName(parts.identity.image.image);
    const logPath = `${sandbox.config.logDirectory}/${parts.identity.logPath}`;
    const container: SimulatedContainer = new SimulatedContainer({
      podSandboxId: sandbox.id,
      hostname: sandbox.config.hostname,
      imageRef: this.#options.images.referenceOf(image),
      clock: this.#clock,
      random: this.#options.random,
      turns: this.#turns,
      content: { root, readsMachine, content },
      sharedVolume: (path) => this.#registry.sharedVolume(sandbox, path, root),
      addresses: () => sandbox.ips,
      resolver: () => sandbox.resolver,
      isOfJob: sandbox.config.labels[JOB_NAME] !== undefined,
      annotations: () => sandbox.annotations,
      onEnd: () => this.#registry.tell(container, 'CONTAINER_STOPPED_EVENT'),
      ...parts,
      identity: { ...parts.identity, image: { ...parts.identity.image, image }, logPath },
    });
    return container;
  }

  #withFiles(id: string): Promise<SimulatedContainer> {
    return this.#registry.running(id).mounted();
  }

  #newId(): string {
    return Buffer.from(this.#options.random.bytes(32)).toString('hex');
  }
}
