import type {
  AttachRequest,
  CallOptions,
  ContainerEvent,
  ContainerFilter,
  ContainerStats,
  ContainerStatus,
  CreateContainerRequest,
  ExecRequest,
  ExecSyncResponse,
  LinuxContainerResources,
  OpenPort,
  OpenProcess,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxStatus,
  PodSandboxStatusResponse,
  PortForwardRequest,
  RuntimeService,
  RuntimeStatus,
  RuntimeVersion,
  StreamEndpoint,
} from '../node/index.ts';
import { RuntimeError } from '../node/index.ts';
import type { CriCalls } from './cri-calls.ts';
import {
  askedContainer,
  askedSandbox,
  containerEvent,
  containerStats,
  containerStatus,
  listedContainer,
  sandboxStatus,
} from './from-messages.ts';
import { polledEvents } from './polled-events.ts';
import { CgroupDriver, RuntimeService as methods } from './protocol/runtime-v1.ts';
import {
  containerFilterMessage,
  containerMessage,
  resourcesMessage,
  sandboxFilterMessage,
  sandboxMessage,
} from './to-messages.ts';

/** Creating a sandbox includes its network, which may take longer than other calls. */
const SANDBOX_EXTRA_MS = 120_000;
/** A runtime that says nothing about itself for this long is down, as for the kubelet. */
const STATUS_MS = 30_000;

interface ListedItem {
  readonly id?: string;
  readonly metadata?: object;
}

/** A container runtime behind a socket. */
export class CriRuntime implements RuntimeService {
  readonly name: string;
  readonly #calls: CriCalls;
  /** The sandboxes of containers, which their statuses do not name. */
  readonly #sandboxOf = new Map<string, string>();
  /** Sandboxes that were stopped and not removed yet: they cannot be started again. */
  readonly #stopped = new Set<string>();

  constructor(name: string, calls: CriCalls) {
    this.name = name;
    this.#calls = calls;
  }

  async version(options?: CallOptions): Promise<RuntimeVersion> {
    return runtimeVersion(this.#calls, options);
  }

  async status(options?: CallOptions): Promise<RuntimeStatus> {
    const {
      status,
      runtimeHandlers = [],
      features,
    } = await this.#calls.call(methods.status, {}, { ...options, maxMs: STATUS_MS });
    return {
      conditions: (status?.conditions ?? []).map(
        ({ type = '', status: isTrue = false, reason = '', message = '' }) => ({
          type,
          status: isTrue,
          reason,
          message,
        }),
      ),
      runtimeHandlers: runtimeHandlers.map(({ name = '', features: own }) => ({
        name,
        features: {
          recursiveReadOnlyMounts: own?.recursiveReadOnlyMounts ?? false,
          userNamespaces: own?.userNamespaces ?? false,
        },
      })),
      features: { supplementalGroupsPolicy: features?.supplementalGroupsPolicy ?? false },
    };
  }

  async updateRuntimeConfig({ podCidr }: { readonly podCidr: string }, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.updateRuntimeConfig, { runtimeConfig: { networkConfig: { podCidr } } }, options);
  }

  async runPodSandbox(
    config: PodSandboxConfig,
    options: CallOptions & { readonly runtimeHandler?: string } = {},
  ): Promise<string> {
    const { runtimeHandler = '', ...rest } = options;
    const request = { config: sandboxMessage(config), runtimeHandler };
    const { podSandboxId = '' } = await this.#calls.call(methods.runPodSandbox, request, {
      ...rest,
      extraMs: SANDBOX_EXTRA_MS,
    });
    if (podSandboxId === '')
      throw new RuntimeError('Failed', `the runtime returned no id for the sandbox of pod "${config.metadata.name}"`);
    return podSandboxId;
  }

  async stopPodSandbox(podSandboxId: string, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.stopPodSandbox, { podSandboxId }, options);
    this.#stopped.add(podSandboxId);
  }

  async removePodSandbox(podSandboxId: string, options?: CallOptions): Promise<void> {
    if (!this.#stopped.has(podSandboxId)) await this.#calls.call(methods.stopPodSandbox, { podSandboxId }, options);
    await this.#calls.call(methods.removePodSandbox, { podSandboxId }, options);
    this.#stopped.delete(podSandboxId);
    for (const [container, sandbox] of this.#sandboxOf) if (sandbox === podSandboxId) this.#sandboxOf.delete(container);
  }

  async podSandboxStatus(podSandboxId: string, options?: CallOptions): Promise<PodSandboxStatusResponse> {
    const { status, containersStatuses = [] } = await this.#calls.call(
      methods.podSandboxStatus,
      { podSandboxId },
      options,
    );
    return {
      status: askedSandbox(status, podSandboxId),
      // runtimes that do not send events leave them out, and so do sandboxes without containers
      containersStatuses:
        containersStatuses.length === 0
          ? undefined
          : containersStatuses
              .filter((each) => this.#isWhole('container', each))
              .map((each) => containerStatus(each, podSandboxId))
              .sort(
                (left, right) => right.createdAtMs - left.createdAtMs || right.metadata.attempt - left.metadata.attempt,
              ),
    };
  }

  async listPodSandbox(filter?: PodSandboxFilter, options?: CallOptions): Promise<readonly PodSandboxStatus[]> {
    const request = { filter: sandboxFilterMessage(filter) };
    const { items = [] } = await this.#calls.call(methods.listPodSandbox, request, options);
    const sandboxes = items.filter((item) => this.#isWhole('sandbox', item)).map((item) => sandboxStatus(item));
    if (filter === undefined) this.#keepStopped(sandboxes); // others may have removed some
    return sandboxes;
  }

  async createContainer(
    { podSandboxId, config, sandboxConfig }: CreateContainerRequest,
    options?: CallOptions,
  ): Promise<string> {
    const request = { podSandboxId, config: containerMessage(config), sandboxConfig: sandboxMessage(sandboxConfig) };
    const { containerId = '' } = await this.#calls.call(methods.createContainer, request, options);
    if (containerId === '')
      throw new RuntimeError('Failed', `the runtime returned no id for container "${config.metadata.name}"`);
    this.#sandboxOf.set(containerId, podSandboxId);
    return containerId;
  }

  async startContainer(containerId: string, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.startContainer, { containerId }, options);
  }

  async stopContainer(containerId: string, timeoutSeconds: number, options?: CallOptions): Promise<void> {
    const request = { containerId, timeout: timeoutSeconds };
    await this.#calls.call(methods.stopContainer, request, { ...options, extraMs: timeoutSeconds * 1000 });
  }

  async removeContainer(containerId: string, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.removeContainer, { containerId }, options);
    this.#sandboxOf.delete(containerId);
  }

  async listContainers(filter?: ContainerFilter, options?: CallOptions): Promise<readonly ContainerStatus[]> {
    const request = { filter: containerFilterMessage(filter) };
    const { containers = [] } = await this.#calls.call(methods.listContainers, request, options);
    const whole = containers.filter((each) => this.#isWhole('container', each));
    if (filter === undefined) this.#sandboxOf.clear(); // others may have removed containers
    for (const { id, podSandboxId } of whole)
      if (id !== undefined && podSandboxId !== undefined) this.#sandboxOf.set(id, podSandboxId);
    return whole.map(listedContainer);
  }

  async containerStatus(containerId: string, options?: CallOptions): Promise<ContainerStatus> {
    const { status } = await this.#calls.call(methods.containerStatus, { containerId }, options);
    return askedContainer(status, containerId, await this.#sandbox(containerId));
  }

  async containerStats(filter: ContainerFilter = {}, options?: CallOptions): Promise<readonly ContainerStats[]> {
    const { id, podSandboxId, labelSelector } = containerFilterMessage(filter);
    const request = {
      filter: {
        ...(id === undefined ? {} : { id }),
        ...(podSandboxId === undefined ? {} : { podSandboxId }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
      },
    };
    const { stats = [] } = await this.#calls.call(methods.listContainerStats, request, options);
    return stats.map(containerStats);
  }

  async updateContainerResources(
    containerId: string,
    resources: LinuxContainerResources,
    options?: CallOptions,
  ): Promise<void> {
    await this.#calls.call(
      methods.updateContainerResources,
      { containerId, linux: resourcesMessage(resources) },
      options,
    );
  }

  async reopenContainerLog(containerId: string, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.reopenContainerLog, { containerId }, options);
  }

  async checkpointContainer(
    containerId: string,
    {
      location,
      timeoutSeconds = 0,
      ...options
    }: CallOptions & { readonly location: string; readonly timeoutSeconds?: number },
  ): Promise<void> {
    const timeout = Math.max(timeoutSeconds, this.#calls.timeoutMs / 1000);
    const extraMs = timeout * 1000 - this.#calls.timeoutMs;
    await this.#calls.call(methods.checkpointContainer, { containerId, location, timeout }, { ...options, extraMs });
  }

  async execSync(
    containerId: string,
    cmd: readonly string[],
    { timeoutMs = 0, ...options }: CallOptions & { readonly timeoutMs?: number } = {},
  ): Promise<ExecSyncResponse> {
    const timeout = Math.ceil(timeoutMs / 1000);
    const limit = timeout === 0 ? Infinity : timeoutMs;
    const answer = await this.#calls.call(
      methods.execSync,
      { containerId, cmd, timeout },
      { ...options, extraMs: limit },
    );
    const { stdout = new Uint8Array(), stderr = new Uint8Array(), exitCode = 0 } = answer;
    return { stdout, stderr, exitCode };
  }

  async exec(request: ExecRequest, options?: CallOptions): Promise<StreamEndpoint<OpenProcess>> {
    const { url = '' } = await this.#calls.call(methods.exec, request, options);
    return streamAt(url, 'a command');
  }

  async attach(request: AttachRequest, options?: CallOptions): Promise<StreamEndpoint<OpenProcess>> {
    const { url = '' } = await this.#calls.call(methods.attach, request, options);
    return streamAt(url, 'a terminal');
  }

  async portForward(
    { podSandboxId, ports }: PortForwardRequest,
    options?: CallOptions,
  ): Promise<StreamEndpoint<OpenPort>> {
    const { url = '' } = await this.#calls.call(methods.portForward, { podSandboxId, port: ports }, options);
    return streamAt(url, 'ports');
  }

  /** A runtime that sends no events, such as containerd 1.6, is asked for its containers every second. */
  async *containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    let hasEvents = false;
    try {
      for await (const message of this.#calls.stream(methods.getContainerEvents, {}, signal)) {
        hasEvents = true;
        const event = containerEvent(message);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.reason !== 'Unimplemented') throw error;
    }
    if (hasEvents || signal.aborted) return;
    this.#calls.log.info('runtime sends no events: containers are listed every second', { runtime: this.name });
    yield* polledEvents(() => this.listContainers(undefined, { signal }), this.#calls.clock, signal);
  }

  #keepStopped(sandboxes: readonly PodSandboxStatus[]): void {
    const present = new Set(sandboxes.map(({ id }) => id));
    for (const id of this.#stopped) if (!present.has(id)) this.#stopped.delete(id);
  }

  /** Whether an item of a list can be used. One that cannot is left out: the others are still right. */
  #isWhole(kind: 'sandbox' | 'container', { id = '', metadata }: ListedItem): boolean {
    const isWhole = id !== '' && metadata !== undefined;
    if (!isWhole) this.#calls.log.warn('runtime lists an item without id or metadata', { kind, id });
    return isWhole;
  }

  async #sandbox(containerId: string): Promise<string> {
    const known = this.#sandboxOf.get(containerId);
    if (known !== undefined) return known;
    const [listed] = await this.listContainers({ id: containerId });
    return listed?.podSandboxId ?? '';
  }
}

function streamAt(url: string, what: string): { readonly type: 'url'; readonly url: string } {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new RuntimeError('Failed', `the runtime returned no URL for ${what}, but "${url}"`);
  return { type: 'url', url };
}

/** The name and version of a runtime. */
export async function runtimeVersion(calls: CriCalls, options?: CallOptions): Promise<RuntimeVersion> {
  const answer = await calls.call(methods.version, { version: '0.1.0' }, options);
  const { runtimeName = '', runtimeVersion: version = '', runtimeApiVersion = '' } = answer;
  return { runtimeName, runtimeVersion: version, runtimeApiVersion };
}

/** The cgroup driver that a runtime uses; undefined for one that does not say. */
export async function runtimeCgroupDriver(calls: CriCalls): Promise<'cgroupfs' | 'systemd' | undefined> {
  try {
    const { linux } = await calls.call(methods.runtimeConfig, {});
    if (linux === undefined) return undefined;
    return linux.cgroupDriver === CgroupDriver.CGROUPFS ? 'cgroupfs' : 'systemd';
  } catch (error) {
    if (error instanceof RuntimeError && error.reason === 'Unimplemented') return undefined;
    throw error;
  }
}
