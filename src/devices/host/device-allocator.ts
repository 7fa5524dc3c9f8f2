import { amountsOf, isSidecar, podLimits } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerSpec } from '../../node/index.ts';
import { chooseDevices } from './choose-devices.ts';
import { allocationOf, type DeviceAllocations } from './device-allocations.ts';
import { type DeviceHint, deviceHints, hasTopology } from './device-hints.ts';
import type { PluginDevice } from './plugin-connection.ts';
import type { PluginEndpoints } from './plugin-endpoints.ts';
import type { PluginMetrics } from './plugin-metrics.ts';
import type { PluginResource } from './plugin-resource.ts';

export type Hints = ReadonlyMap<string, readonly DeviceHint[] | undefined>;

export interface DeviceAllocatorParts {
  readonly endpoints: PluginEndpoints;
  readonly allocations: DeviceAllocations;
  readonly metrics: PluginMetrics;
  readonly clock: Clock;
  /** The NUMA nodes of the machine. */
  readonly numaNodes: readonly number[];
}

interface Owner {
  readonly podUid: string;
  readonly container: string;
}

interface Wanted {
  readonly resource: string;
  readonly count: number;
  readonly nodes: readonly number[] | undefined;
}

/** Chooses devices for containers, and lets their plugins allocate them. */
export class DeviceAllocator {
  readonly #parts: DeviceAllocatorParts;

  constructor(parts: DeviceAllocatorParts) {
    this.#parts = parts;
  }

  /** What a container asks for of resources of plugins, without those that a claim stands for. */
  wanted(pod: Observed<Pod>, container: ContainerSpec): readonly (readonly [string, number])[] {
    return amountsIn(container.resources?.limits).filter(
      ([resource, count]) => count > 0 && this.#isOfPlugin(resource) && !isOfClaim(pod, container.name, resource),
    );
  }

  /** True when devices were allocated; false when the container had all of them. Throws an error with a kubelet's words. */
  async allocate(pod: Observed<Pod>, container: ContainerSpec, nodes: readonly number[] | undefined): Promise<boolean> {
    const { uid } = pod.metadata;
    const owner = { podUid: uid, container: container.name };
    let isNew = false;
    for (const [resource, count] of this.wanted(pod, container))
      isNew = (await this.#allocateResource(owner, { resource, count, nodes })) || isNew;
    const isInit = pod.spec?.initContainers?.some(({ name }) => name === container.name) === true;
    this.#parts.allocations.share(uid, container.name, isInit && !isSidecar(container));
    return isNew;
  }

  hints(pod: Observed<Pod>, container: ContainerSpec): Hints {
    const { allocations } = this.#parts;
    const { uid } = pod.metadata;
    return this.#hintsOf(amountsIn(container.resources?.limits), (resource) => ({
      allocated: new Set(allocations.ofContainer(uid, container.name).get(resource)?.devices.keys()),
      reusable: allocations.reusable(uid, resource),
    }));
  }

  podHints(pod: Observed<Pod>): Hints {
    const limits = [...podLimits(pod)].map(([name, amount]) => [name, amount.value()] as const);
    return this.#hintsOf(limits, (resource) => ({
      allocated: this.#parts.allocations.ofPod(pod.metadata.uid, resource),
      reusable: new Set(),
    }));
  }

  #isOfPlugin(resource: string): boolean {
    return this.#parts.endpoints.get(resource)?.isReported === true || this.#parts.allocations.has(resource);
  }

  /** True when devices were allocated; false when the container has them already. */
  async #allocateResource(owner: Owner, { resource: name, count, nodes }: Wanted): Promise<boolean> {
    const { allocations, endpoints, clock, metrics } = this.#parts;
    const { podUid, container } = owner;
    const had = allocations.ofContainer(podUid, container).get(name)?.devices;
    if (had !== undefined && had.size !== count)
      throw new Error(
        `pod ${JSON.stringify(podUid)} container ${JSON.stringify(container)} changed request for resource ${JSON.stringify(name)} from ${had.size} to ${count}`,
      );
    const resource = endpoints.get(name);
    if (resource?.isReported !== true) throw new Error(`cannot allocate unregistered device ${name}`);
    checkHealth(resource, had);
    if (had !== undefined) return false;
    const { ids, reservation } = await resource.inTurn(async () => {
      const chosen = await chooseDevices({
        ...{ resource: name, count, nodes, available: () => this.#available(resource) },
        devices: resource.devices,
        reusable: allocations.reusable(podUid, name),
        preferred: async (...request) => (await resource.connection?.preferred(...request)) ?? [],
      });
      return { ids: chosen, reservation: allocations.reserve(name, chosen) };
    });
    using _reservation = reservation;
    const { connection } = resource;
    if (connection === undefined) throw new Error(`endpoint ${name} has been stopped`);
    const startedMs = clock.monotonic();
    try {
      const answer = await connection.allocate(ids);
      allocations.set(owner, name, allocationOf(ids, resource.devices, answer));
    } finally {
      metrics.allocated(name, clock.monotonic() - startedMs);
    }
    return true;
  }

  /** Healthy devices that no container has. */
  #available(resource: PluginResource): ReadonlySet<string> {
    const inUse = this.#parts.allocations.inUse(resource.name);
    return new Set([...resource.healthy()].filter((id) => !inUse.has(id)));
  }

  #hintsOf(
    limits: readonly (readonly [string, number])[],
    held: (resource: string) => { readonly allocated: ReadonlySet<string>; readonly reusable: ReadonlySet<string> },
  ): Hints {
    const hints = new Map<string, readonly DeviceHint[] | undefined>();
    for (const [name, count] of limits) {
      if (!this.#isOfPlugin(name)) continue;
      const resource = this.#parts.endpoints.get(name);
      const devices = resource?.devices ?? new Map<string, PluginDevice>();
      const { allocated, reusable } = held(name);
      const common = { count, devices, machineNodes: this.#parts.numaNodes };
      if (!hasTopology(devices)) {
        hints.set(name, undefined);
      } else if (allocated.size > 0) {
        const same = allocated.size === count;
        hints.set(name, same ? deviceHints({ ...common, available: allocated, reusable: new Set() }) : []);
      } else {
        const available = resource === undefined ? new Set<string>() : this.#available(resource);
        const isEnough = new Set([...available, ...reusable]).size >= count;
        hints.set(name, isEnough ? deviceHints({ ...common, available, reusable }) : []);
      }
    }
    return hints;
  }
}

function checkHealth(resource: PluginResource, had: ReadonlyMap<string, unknown> | undefined): void {
  const { name } = resource;
  const healthy = resource.healthy();
  if (healthy.size === 0) throw new Error(`no healthy devices present; cannot allocate unhealthy devices ${name}`);
  if (had !== undefined && [...had.keys()].some((id) => !healthy.has(id)))
    throw new Error(`previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${name}`);
}

function amountsIn(texts: Readonly<Record<string, string>> | undefined): readonly (readonly [string, number])[] {
  return [...amountsOf(texts ?? {})].map(([name, amount]) => [name, amount.value()] as const);
}

/** Whether a claim stands for the extended resource of a container (KEP-5004). */
function isOfClaim({ status }: Observed<Pod>, container: string, resource: string): boolean {
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return mappings.some(({ containerName, resourceName }) => containerName === container && resourceName === resource);
}
