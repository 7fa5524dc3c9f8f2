import { isExtendedResource } from '../../api/meaning/index.ts';
import { aborted, type Clock, type Logger, messageOf, type Random, type Runnable } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type {
  Checkpoints,
  ContainerEdits,
  ContainerSpec,
  DeviceResources,
  GivenDevice,
  HealthCheck,
  Refusal,
} from '../../node/index.ts';
import type { GrpcServer } from '../../wire/grpc/index.ts';
import { editsOf } from './container-edits.ts';
import { DeviceAllocations } from './device-allocations.ts';
import { DeviceAllocator, type Hints } from './device-allocator.ts';
import { DeviceCheckpoint } from './device-checkpoint.ts';
import type { DeviceHint } from './device-hints.ts';
import { PluginEndpoints } from './plugin-endpoints.ts';
import { PluginMetrics } from './plugin-metrics.ts';
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
    register: ({ name, endpoint }: RegisteredPlugin): Promise<void> => this.#endpoints.register(name, endpoint),
    deregister: ({ name }: RegisteredPlugin): Promise<void> => this.#endpoints.deregister(name),
  };
  /** Whether plugins can register. */
  readonly health: HealthCheck = {
    name: 'device-plugin',
    problem: () =>
      this.#server?.failure === undefined
        ? undefined
        : `device registration error: device plugin registration gRPC server failed and no device plugins can register: ${this.#server.failure}`,
  };
  readonly metrics = new PluginMetrics();
  readonly #parts: DevicePluginsParts;
  readonly #checkpoint: DeviceCheckpoint;
  readonly #allocations = new DeviceAllocations();
  readonly #endpoints: PluginEndpoints;
  readonly #allocator: DeviceAllocator;
  /** Pods whose containers may use their devices: only `unprepare` takes these away. */
  readonly #prepared = new Set<string>();
  #server: GrpcServer | undefined;

  private constructor(parts: DevicePluginsParts) {
    const { clock, random, log, numaNodes = [] } = parts;
    this.#parts = parts;
    this.#checkpoint = new DeviceCheckpoint(parts.checkpoints);
    this.#endpoints = new PluginEndpoints({
      ...{ clock, random, log },
      changed: () => parts.changed(),
      listed: (resource, ids) => this.#listed(resource, ids),
    });
    this.#allocator = new DeviceAllocator({
      ...{ endpoints: this.#endpoints, allocations: this.#allocations, metrics: this.metrics, clock, numaNodes },
    });
  }

  /** Reads what an earlier run of the agent has allocated, and opens the socket. */
  static async open(parts: DevicePluginsParts): Promise<DevicePlugins> {
    const plugins = new DevicePlugins(parts);
    await plugins.#restore();
    plugins.#server = await openRegistrationSocket({
      ...parts,
      register: (resource, socket) => plugins.#endpoints.register(resource, socket),
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
    await this.#endpoints[Symbol.asyncDispose]();
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
    return this.#allocator.hints(pod, container);
  }

  podHints(pod: Observed<Pod>): Hints {
    return this.#allocator.podHints(pod);
  }

  /** Allocates what a container asks for. Throws an error with a kubelet's words when that is not possible. */
  async allocate(pod: Observed<Pod>, container: ContainerSpec, { nodes }: DeviceHint = ANY_NODES): Promise<void> {
    if (await this.#allocator.allocate(pod, container, nodes)) await this.#store();
  }

  /** The pod was rejected, or is gone from the API. Devices that its containers may still use are kept until `unprepare`. */
  async release(podUid: string): Promise<void> {
    if (!this.#prepared.has(podUid)) await this.unprepare(podUid);
  }

  /** Calls PreStartContainer where the plugin wants that, and returns how the container uses its devices. */
  async containerEdits(pod: Observed<Pod>, container: ContainerSpec): Promise<ContainerEdits | undefined> {
    const { uid } = pod.metadata;
    this.#prepared.add(uid);
    const had = this.#allocations.ofContainer(uid, container.name);
    // an earlier run of the agent did not store them, such as before its machine was started again
    if (this.#allocator.wanted(pod, container).some(([resource]) => !had.has(resource)))
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
      [...devices].map(([id, nodes]) => ({
        ...{ resource, id, nodes },
        isHealthy: this.#endpoints.isHealthy(resource, id),
      })),
    );
  }

  givable(): readonly GivenDevice[] {
    return this.#endpoints.givable();
  }

  podUids(): readonly string[] {
    return this.#allocations.podUids();
  }

  resources(): DeviceResources {
    return this.#endpoints.counts();
  }

  async #preStart(name: string, ids: readonly string[]): Promise<void> {
    const resource = this.#endpoints.get(name);
    if (resource?.needsPreStart !== true) return;
    if (resource.connection === undefined)
      throw new Error(`device plugin PreStartContainer rpc failed with err: endpoint ${name} has been stopped`);
    await resource.connection.preStart(ids);
  }

  async #restore(): Promise<void> {
    try {
      const state = await this.#checkpoint.read();
      if (state === undefined) return;
      this.#allocations.restore(state.entries);
      for (const uid of this.#allocations.podUids()) this.#prepared.add(uid);
      for (const name of state.registered.keys()) this.#endpoints.restore(name);
    } catch (error) {
      // as a kubelet: pods that run keep what they have, and the next list of a plugin replaces the file
      this.#parts.log.error('allocations of devices cannot be read', { error: messageOf(error) });
    }
  }

  #listed(resource: string, ids: ReadonlySet<string>): void {
    const { log, podChanged } = this.#parts;
    if (ids.size > 0) for (const uid of this.#allocations.podsWith(resource, ids)) podChanged(uid);
    this.#endpoints.track(
      this.#store().catch((error: unknown) => {
        log.error('devices cannot be stored', { error });
      }),
    );
  }

  async #store(): Promise<void> {
    await this.#checkpoint.write({
      entries: this.#allocations.entries(),
      registered: new Map(this.#endpoints.reported().map((resource) => [resource.name, [...resource.healthy()]])),
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

function containersOf({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}
