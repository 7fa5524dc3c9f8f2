import type { Clock, Logger, Random } from '../../base/index.ts';
import type { DeviceResources, GivenDevice } from '../../node/index.ts';
import { PluginConnection, type PluginDevice } from './plugin-connection.ts';
import { GRACE_MS, PluginResource } from './plugin-resource.ts';

export interface PluginEndpointsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Devices have come or gone. */
  changed(): void;
  /** A plugin has listed its devices; the health of these is another one than before. */
  listed(resource: string, ids: ReadonlySet<string>): void;
}

const MAX_RESOURCES = 1000;

/**
 * The plugins of a node and the devices that they list.
 *
 * Lists outlive their plugins: as with a kubelet, the health of a device in a pod is what its plugin last said, also after the plugin is gone
 * and the node no longer counts the resource.
 */
export class PluginEndpoints {
  readonly #parts: PluginEndpointsParts;
  readonly #resources = new Map<string, PluginResource>();
  /** Whether each device of resources that the node no longer counts was healthy, as last listed. */
  readonly #past = new Map<string, ReadonlyMap<string, boolean>>();
  /** Work that is awaited when the agent stops. */
  readonly #following = new Set<Promise<void>>();
  readonly #timers = new Set<Disposable>();
  #isClosed = false;

  constructor(parts: PluginEndpointsParts) {
    this.#parts = parts;
  }

  get(resource: string): PluginResource | undefined {
    return this.#resources.get(resource);
  }

  /** The resources that plugins have listed, in this run of the agent or an earlier one. */
  reported(): readonly PluginResource[] {
    return [...this.#resources.values()].filter(({ isReported }) => isReported);
  }

  /** What the plugin last said; healthy where it said nothing. */
  isHealthy(resource: string, id: string): boolean {
    return this.#resources.get(resource)?.devices.get(id)?.isHealthy ?? this.#past.get(resource)?.get(id) ?? true;
  }

  givable(): readonly GivenDevice[] {
    return [...this.#resources.values()].flatMap((resource) => {
      const healthy = resource.healthy();
      return [...resource.devices.values()]
        .filter(({ id }) => healthy.has(id))
        .map((device) => ({ resource: resource.name, ...device }));
    });
  }

  counts(): DeviceResources {
    const capacity: Record<string, string> = {};
    const allocatable: Record<string, string> = {};
    const nowMs = this.#parts.clock.now();
    for (const resource of this.reported()) {
      if (resource.isOver(nowMs)) continue;
      capacity[resource.name] = String(resource.devices.size);
      allocatable[resource.name] = String(resource.healthy().size);
    }
    return { capacity, allocatable };
  }

  /** A resource that an earlier run of the agent counted, and whose plugin has not registered with this one. */
  restore(name: string): void {
    const resource = new PluginResource(name);
    resource.isReported = true;
    this.#resources.set(name, resource);
    this.#stop(resource, this.#parts.clock.now());
  }

  /** Connects to a plugin in place of an earlier one of the same resource. */
  async register(name: string, socket: string): Promise<void> {
    const { log, clock, random } = this.#parts;
    if (!this.#resources.has(name) && this.#resources.size >= MAX_RESOURCES)
      throw new Error(`no more than ${MAX_RESOURCES} resources of device plugins are supported`);
    const connection = await PluginConnection.open(name, socket, { clock, random, log });
    if (this.#isClosed) return await connection[Symbol.asyncDispose]();
    const resource = this.#resources.get(name) ?? new PluginResource(name);
    this.#resources.set(name, resource);
    const old = resource.connection;
    resource.connection = connection;
    resource.needsPreStart = connection.options.preStartRequired === true;
    log.info('device plugin is registered', { resource: name });
    this.track(this.#follow(resource, connection));
    await old?.[Symbol.asyncDispose]();
  }

  async deregister(name: string): Promise<void> {
    await this.#resources.get(name)?.connection?.[Symbol.asyncDispose]();
  }

  /** Makes the agent wait for this work before it stops. */
  track(work: Promise<void>): void {
    this.#following.add(work);
    void work.finally(() => this.#following.delete(work));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { connection } of this.#resources.values()) await connection?.[Symbol.asyncDispose]();
    await Promise.all(this.#following);
    for (const timer of this.#timers) timer[Symbol.dispose]();
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
    if (this.#isClosed) return;
    log.warn('device plugin is gone', { resource: resource.name, reason });
    this.#stop(resource, clock.now());
    changed();
  }

  #listed(resource: PluginResource, devices: readonly PluginDevice[]): void {
    const { log, changed, listed } = this.#parts;
    const different = devices.filter(({ id, isHealthy }) => resource.devices.get(id)?.isHealthy !== isHealthy);
    resource.devices = new Map(devices.map((device) => [device.id, device]));
    resource.isReported = true;
    resource.stoppedAtMs = undefined;
    this.#past.delete(resource.name);
    log.debug('device plugin has listed its devices', { resource: resource.name, devices: devices.length });
    listed(resource.name, new Set(different.map(({ id }) => id)));
    changed();
  }

  /** The resource is reported for some time without healthy devices, and then no more. */
  #stop(resource: PluginResource, nowMs: number): void {
    const { clock, changed } = this.#parts;
    resource.stoppedAtMs = nowMs;
    const timer = clock.timer(GRACE_MS, () => {
      this.#timers.delete(timer);
      if (!resource.isOver(clock.now())) return;
      if (this.#resources.get(resource.name) === resource && resource.connection === undefined) this.#forget(resource);
      changed();
    });
    this.#timers.add(timer);
  }

  #forget({ name, devices }: PluginResource): void {
    this.#resources.delete(name);
    this.#past.set(name, new Map([...devices].map(([id, { isHealthy }]) => [id, isHealthy])));
    for (const oldest of this.#past.keys()) if (this.#past.size > MAX_RESOURCES) this.#past.delete(oldest);
  }
}
