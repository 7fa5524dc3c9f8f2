import { amountsOf, isExtendedResource, isSidecar, podLimits } from '../../api/meaning/index.ts';
import { aborted, type Clock, type Logger, messageOf, type Random, type Runnable } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type {
  Checkpoints,
  ContainerEdits,
  ContainerSpec,
  DeviceResources,
  GivenDevice,
  Refusal,
} from '../../node/index.ts';
import type { GrpcServer } from '../../wire/grpc/index.ts';
import { chooseDevices } from './choose-devices.ts';
import { editsOf } from './container-edits.ts';
import { allocationOf, DeviceAllocations } from './device-allocations.ts';
import { DeviceCheckpoint } from './device-checkpoint.ts';
import { type DeviceHint, deviceHints, hasTopology } from './device-hints.ts';
import { PluginConnection, type PluginDevice } from './plugin-connection.ts';
import { PluginMetrics } from './plugin-metrics.ts';
import { GRACE_MS, PluginResource } from './plugin-resource.ts';
import { DEVICE_PLUGIN_VERSION, openRegistrationSocket } from './registration-socket.ts';

export interface DevicePluginsParts {
  /** Where plugins find the socket `kubelet.sock`, and make their own. */
  readonly folder: string;
  /** Of the file `kubelet_internal_checkpoint`, which a kubelet keeps in the same folder. */
  readonly checkpoints: Checkpoints;
  /** The NUMA nodes of the machine. */
  readonly numaNodes?: readonly number[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Devices have come or gone. */
  changed(): void;
  /** The health of a device that the pod has may be another one. */
  podChanged(uid: string): void;
}

/** A plugin as it describes itself to the plugin watcher; see `Plugin` there. */
interface RegisteredPlugin {
  /** The resource. */
  readonly name: string;
  /** The path of its socket. */
  readonly endpoint: string;
  readonly versions: readonly string[];
}

type Hints = ReadonlyMap<string, readonly DeviceHint[] | undefined>;

const MAX_RESOURCES = 1000;
const ANY_NODES: DeviceHint = { nodes: undefined, isPreferred: false };

/**
 * The devices of plugins on a node: what a kubelet's device manager does.
 *
 * Guarantees: no device is given to two pods at once, whatever plugins answer, and however often they go and come back. Devices of a pod
 * are stored before its containers start.
 */
export class DevicePlugins implements Runnable, AsyncDisposable {
  /** Takes plugins that register through a socket in `plugins_registry`, from the plugin watcher. */
  readonly handler = {
    type: 'DevicePlugin',
    validate: checkRegistered,
    register: ({ name, endpoint }: RegisteredPlugin): Promise<void> => this.#register(name, endpoint),
    deregister: async ({ name }: RegisteredPlugin): Promise<void> => {
      await this.#resources.get(name)?.connection?.[Symbol.asyncDispose]();
    },
  };
  readonly metrics = new PluginMetrics();
  readonly #parts: DevicePluginsParts;
  readonly #checkpoint: DeviceCheckpoint;
  readonly #allocations = new DeviceAllocations();
  readonly #resources = new Map<string, PluginResource>();
  /** Pods whose containers may use their devices: only `unprepare` takes these away. */
  readonly #prepared = new Set<string>();
  /** Work that is awaited when the agent stops. */
  readonly #following = new Set<Promise<void>>();
  readonly #timers = new Set<Disposable>();
  #server: GrpcServer | undefined;

  private constructor(parts: DevicePluginsParts) {
    this.#parts = parts;
    this.#checkpoint = new DeviceCheckpoint(parts.checkpoints);
  }

  /** Reads what an earlier run of the agent has allocated, and opens the socket. */
  static async open(parts: DevicePluginsParts): Promise<DevicePlugins> {
    const plugins = new DevicePlugins(parts);
    await plugins.#restore();
    plugins.#server = await openRegistrationSocket({
      ...parts,
      register: (resource, socket) => plugins.#register(resource, socket),
      asked: (resource) => plugins.metrics.registered(resource),
    });
    return plugins;
  }

  /** The plugins are served from `open` on; this keeps them until the agent stops. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.[Symbol.asyncDispose]();
    for (const { connection } of this.#resources.values()) await connection?.[Symbol.asyncDispose]();
    await Promise.all(this.#following);
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  /** Allocates the devices of all containers of a pod, for nodes that agree on no NUMA nodes; or rejects the pod. */
  async admit(pod: Observed<Pod>): Promise<Refusal | undefined> {
    try {
      for (const container of containersOf(pod)) await this.allocate(pod, container);
      return undefined;
    } catch (error) {
      await this.unprepare(pod.metadata.uid);
      const message = `Allocate failed due to ${messageOf(error)}, which is unexpected`;
      return { reason: 'UnexpectedAdmissionError', message };
    }
  }

  /** See `HintProvider`. */
  hints(pod: Observed<Pod>, container: ContainerSpec): Hints {
    const { uid } = pod.metadata;
    return this.#hintsOf(amountsIn(container.resources?.limits), (resource) => ({
      allocated: new Set(this.#allocations.ofContainer(uid, container.name).get(resource)?.devices.keys()),
      reusable: this.#allocations.reusable(uid, resource),
    }));
  }

  podHints(pod: Observed<Pod>): Hints {
    const limits = [...podLimits(pod)].map(([name, amount]) => [name, amount.value()] as const);
    return this.#hintsOf(limits, (resource) => ({
      allocated: this.#allocations.ofPod(pod.metadata.uid, resource),
      reusable: new Set(),
    }));
  }

  /** Allocates what a container asks for. Throws an error with a kubelet's words when that is not possible. */
  async allocate(pod: Observed<Pod>, container: ContainerSpec, { nodes }: DeviceHint = ANY_NODES): Promise<void> {
    const { uid } = pod.metadata;
    let isNew = false;
    for (const [resource, count] of amountsIn(container.resources?.limits)) {
      if (count === 0 || !this.#isOfPlugin(resource) || isOfClaim(pod, container.name, resource)) continue;
      isNew =
        (await this.#allocateResource({ podUid: uid, container: container.name }, { resource, count, nodes })) || isNew;
    }
    const isInit = pod.spec?.initContainers?.some(({ name }) => name === container.name) === true;
    this.#allocations.share(uid, container.name, isInit && !isSidecar(container));
    if (isNew) await this.#store();
  }

  /** The pod was rejected, or is gone from the API. Devices that its containers may still use are kept until `unprepare`. */
  async release(podUid: string): Promise<void> {
    if (!this.#prepared.has(podUid)) await this.unprepare(podUid);
  }

  /** Calls PreStartContainer where the plugin wants that, and returns how the container uses its devices. */
  async containerEdits(pod: Observed<Pod>, container: ContainerSpec): Promise<ContainerEdits | undefined> {
    const { uid } = pod.metadata;
    this.#prepared.add(uid);
    const wanted = amountsIn(container.resources?.limits).filter(
      ([resource, count]) => count > 0 && this.#isOfPlugin(resource) && !isOfClaim(pod, container.name, resource),
    );
    // an earlier run of the agent did not store them, such as before its machine was started again
    if (wanted.some(([resource]) => !this.#allocations.ofContainer(uid, container.name).has(resource)))
      await this.allocate(pod, container);
    const allocated = this.#allocations.ofContainer(uid, container.name);
    for (const [resource, { devices }] of allocated) await this.#preStart(resource, [...devices.keys()]);
    return allocated.size === 0 ? undefined : editsOf(allocated.values());
  }

  async unprepare(podUid: string): Promise<void> {
    this.#prepared.delete(podUid);
    if (this.#allocations.remove(podUid)) await this.#store();
  }

  given(podUid: string, container: string): readonly GivenDevice[] {
    return [...this.#allocations.ofContainer(podUid, container)].flatMap(([resource, { devices }]) =>
      [...devices].map(([id, nodes]) => {
        const isHealthy = this.#resources.get(resource)?.devices.get(id)?.isHealthy ?? true;
        return { resource, id, isHealthy, nodes };
      }),
    );
  }

  givable(): readonly GivenDevice[] {
    return [...this.#resources.values()].flatMap((resource) => {
      const healthy = resource.healthy();
      return [...resource.devices.values()]
        .filter(({ id }) => healthy.has(id))
        .map((device) => ({ resource: resource.name, ...device }));
    });
  }

  podUids(): readonly string[] {
    return this.#allocations.podUids();
  }

  resources(): DeviceResources {
    const capacity: Record<string, string> = {};
    const allocatable: Record<string, string> = {};
    const nowMs = this.#parts.clock.now();
    for (const resource of this.#resources.values()) {
      if (!resource.isReported || resource.isOver(nowMs)) continue;
      capacity[resource.name] = String(resource.devices.size);
      allocatable[resource.name] = String(resource.healthy().size);
    }
    return { capacity, allocatable };
  }

  async #preStart(name: string, ids: readonly string[]): Promise<void> {
    const resource = this.#resources.get(name);
    if (resource?.needsPreStart !== true) return;
    if (resource.connection === undefined)
      throw new Error(`device plugin PreStartContainer rpc failed with err: endpoint ${name} has been stopped`);
    await resource.connection.preStart(ids);
  }

  async #restore(): Promise<void> {
    const { log, clock } = this.#parts;
    try {
      const state = await this.#checkpoint.read();
      if (state === undefined) return;
      this.#allocations.restore(state.entries);
      for (const uid of this.#allocations.podUids()) this.#prepared.add(uid);
      for (const name of state.registered.keys()) {
        const resource = new PluginResource(name);
        resource.isReported = true;
        this.#resources.set(name, resource);
        this.#stop(resource, clock.now());
      }
    } catch (error) {
      // as a kubelet: pods that run keep what they have, and the next list of a plugin replaces the file
      log.error('allocations of devices cannot be read', { error: messageOf(error) });
    }
  }

  async #register(name: string, socket: string): Promise<void> {
    const { log, clock, random } = this.#parts;
    if (!this.#resources.has(name) && this.#resources.size >= MAX_RESOURCES)
      throw new Error(`no more than ${MAX_RESOURCES} resources of device plugins are supported`);
    const connection = await PluginConnection.open(name, socket, { clock, random, log });
    if (this.#server === undefined) return await connection[Symbol.asyncDispose]();
    const resource = this.#resources.get(name) ?? new PluginResource(name);
    this.#resources.set(name, resource);
    const old = resource.connection;
    resource.connection = connection;
    resource.needsPreStart = connection.options.preStartRequired === true;
    log.info('device plugin is registered', { resource: name });
    this.#track(this.#follow(resource, connection));
    await old?.[Symbol.asyncDispose]();
  }

  /** Takes the lists of a plugin until it goes away. */
  async #follow(resource: PluginResource, connection: PluginConnection): Promise<void> {
    const { log, clock, changed } = this.#parts;
    const reason = await connection.follow((devices) => {
      if (resource.connection === connection) this.#listed(resource, devices);
    });
    await connection[Symbol.asyncDispose]();
    if (resource.connection !== connection) return;
    resource.connection = undefined;
    if (this.#server === undefined) return; // the agent stops
    log.warn('device plugin is gone', { resource: resource.name, reason });
    this.#stop(resource, clock.now());
    changed();
  }

  #listed(resource: PluginResource, devices: readonly PluginDevice[]): void {
    const { log, changed, podChanged } = this.#parts;
    const before = resource.devices;
    resource.devices = new Map(devices.map((device) => [device.id, device]));
    resource.isReported = true;
    resource.stoppedAtMs = undefined;
    log.debug('device plugin has listed its devices', { resource: resource.name, devices: devices.length });
    const different = devices.filter(({ id, isHealthy }) => before.get(id)?.isHealthy !== isHealthy);
    const ids = new Set(different.map(({ id }) => id));
    if (ids.size > 0) for (const uid of this.#allocations.podsWith(resource.name, ids)) podChanged(uid);
    this.#track(
      this.#store().catch((error: unknown) => {
        log.error('devices cannot be stored', { error });
      }),
    );
    changed();
  }

  /** Makes the agent wait for this work before it stops. */
  #track(work: Promise<void>): void {
    this.#following.add(work);
    void work.finally(() => this.#following.delete(work));
  }

  /** The resource is reported for some time without healthy devices, and then no more. */
  #stop(resource: PluginResource, nowMs: number): void {
    const { clock, changed } = this.#parts;
    resource.stoppedAtMs = nowMs;
    const timer = clock.timer(GRACE_MS, () => {
      this.#timers.delete(timer);
      if (!resource.isOver(clock.now())) return;
      if (this.#resources.get(resource.name) === resource && resource.connection === undefined)
        this.#resources.delete(resource.name);
      changed();
    });
    this.#timers.add(timer);
  }

  #isOfPlugin(resource: string): boolean {
    return this.#resources.get(resource)?.isReported === true || this.#allocations.has(resource);
  }

  /** True when devices were allocated; false when the container has them already. */
  async #allocateResource(
    owner: { readonly podUid: string; readonly container: string },
    wanted: { readonly resource: string; readonly count: number; readonly nodes: readonly number[] | undefined },
  ): Promise<boolean> {
    const { resource: name, count, nodes } = wanted;
    const { podUid, container } = owner;
    const had = this.#allocations.ofContainer(podUid, container).get(name)?.devices;
    if (had !== undefined && had.size !== count)
      throw new Error(
        `pod ${JSON.stringify(podUid)} container ${JSON.stringify(container)} changed request for resource ${JSON.stringify(name)} from ${had.size} to ${count}`,
      );
    const resource = this.#resources.get(name);
    if (resource?.isReported !== true) throw new Error(`cannot allocate unregistered device ${name}`);
    checkHealth(resource, had);
    if (had !== undefined) return false;
    const allocations = this.#allocations;
    const available = (): ReadonlySet<string> => {
      const inUse = allocations.inUse(name);
      return new Set([...resource.healthy()].filter((id) => !inUse.has(id)));
    };
    const { ids, reservation } = await resource.inTurn(async () => {
      const chosen = await chooseDevices({
        ...{ resource: name, count, nodes, available },
        devices: resource.devices,
        reusable: allocations.reusable(podUid, name),
        preferred: async (...request) => (await resource.connection?.preferred(...request)) ?? [],
      });
      return { ids: chosen, reservation: allocations.reserve(name, chosen) };
    });
    using _reservation = reservation;
    const { connection } = resource;
    if (connection === undefined) throw new Error(`endpoint ${name} has been stopped`);
    const { clock } = this.#parts;
    const startedMs = clock.monotonic();
    try {
      const answer = await connection.allocate(ids);
      allocations.set(owner, name, allocationOf(ids, resource.devices, answer));
    } finally {
      this.metrics.allocated(name, clock.monotonic() - startedMs);
    }
    return true;
  }

  #hintsOf(
    limits: readonly (readonly [string, number])[],
    held: (resource: string) => { readonly allocated: ReadonlySet<string>; readonly reusable: ReadonlySet<string> },
  ): Hints {
    const hints = new Map<string, readonly DeviceHint[] | undefined>();
    for (const [name, count] of limits) {
      if (!this.#isOfPlugin(name)) continue;
      const resource = this.#resources.get(name);
      const devices = resource?.devices ?? new Map<string, PluginDevice>();
      const { allocated, reusable } = held(name);
      const common = { count, devices, machineNodes: this.#parts.numaNodes ?? [] };
      if (!hasTopology(devices)) {
        hints.set(name, undefined);
      } else if (allocated.size > 0) {
        const same = allocated.size === count;
        hints.set(name, same ? deviceHints({ ...common, available: allocated, reusable: new Set() }) : []);
      } else {
        const inUse = this.#allocations.inUse(name);
        const available = new Set([...(resource?.healthy() ?? [])].filter((id) => !inUse.has(id)));
        const isEnough = new Set([...available, ...reusable]).size >= count;
        hints.set(name, isEnough ? deviceHints({ ...common, available, reusable }) : []);
      }
    }
    return hints;
  }

  async #store(): Promise<void> {
    const reported = [...this.#resources.values()].filter(({ isReported }) => isReported);
    await this.#checkpoint.write({
      entries: this.#allocations.entries(),
      registered: new Map(reported.map((resource) => [resource.name, [...resource.healthy()]])),
    });
  }
}

function checkRegistered({ name, versions }: RegisteredPlugin): void {
  if (!versions.includes(DEVICE_PLUGIN_VERSION))
    throw new Error(
      `manager version, ${DEVICE_PLUGIN_VERSION}, is not among plugin supported versions [${versions.join(' ')}]`,
    );
  if (!isExtendedResource(name))
    throw new Error(`invalid name of device plugin socket: the ResourceName ${JSON.stringify(name)} is invalid`);
}

function checkHealth(resource: PluginResource, had: ReadonlyMap<string, unknown> | undefined): void {
  const { name } = resource;
  const healthy = resource.healthy();
  if (healthy.size === 0) throw new Error(`no healthy devices present; cannot allocate unhealthy devices ${name}`);
  if (had !== undefined && [...had.keys()].some((id) => !healthy.has(id)))
    throw new Error(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${name}`);
}

function containersOf({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

function amountsIn(texts: Readonly<Record<string, string>> | undefined): readonly (readonly [string, number])[] {
  return [...amountsOf(texts ?? {})].map(([name, amount]) => [name, amount.value()] as const);
}

/** Whether a claim stands for the extended resource of a container (KEP-5004). */
function isOfClaim({ status }: Observed<Pod>, container: string, resource: string): boolean {
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return mappings.some(({ containerName, resourceName }) => containerName === container && resourceName === resource);
}
