import * as protocol from '../protocol/device-plugin-v1beta1.ts';
import type { DeviceEntry } from './device-checkpoint.ts';
import type { ContainerAnswer, PluginDevice } from './plugin-connection.ts';

/** What a container has of one resource, and how the plugin lets it use that. */
export interface Allocation {
  /** NUMA nodes by device id; empty where the plugin says nothing about them. */
  readonly devices: ReadonlyMap<string, readonly number[]>;
  readonly answer: ContainerAnswer;
}

interface PodDevices {
  /** By container, then by resource. */
  readonly containers: Map<string, Map<string, Allocation>>;
  /** Devices of init containers that have ended by the time that later containers start, by resource. */
  readonly reusable: Map<string, Set<string>>;
}

/** The NUMA node under which a kubelet's checkpoint has devices that are near to none. */
const NO_NODE = -1;

/** Which containers have which devices. A device is in use from the moment that it is reserved. */
export class DeviceAllocations {
  readonly #pods = new Map<string, PodDevices>();
  /** Devices that plugins are being asked for, by resource. */
  readonly #reserved = new Map<string, Set<string>>();

  podUids(): readonly string[] {
    return [...this.#pods.keys()];
  }

  /** By resource. */
  ofContainer(podUid: string, container: string): ReadonlyMap<string, Allocation> {
    return this.#pods.get(podUid)?.containers.get(container) ?? NOTHING;
  }

  /** The ids of all containers of a pod. */
  ofPod(podUid: string, resource: string): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const resources of this.#pods.get(podUid)?.containers.values() ?? [])
      for (const id of resources.get(resource)?.devices.keys() ?? []) ids.add(id);
    return ids;
  }

  reusable(podUid: string, resource: string): ReadonlySet<string> {
    return this.#pods.get(podUid)?.reusable.get(resource) ?? NO_IDS;
  }

  /** All ids of a resource that are in use or reserved. */
  inUse(resource: string): ReadonlySet<string> {
    const ids = new Set(this.#reserved.get(resource));
    for (const { containers } of this.#pods.values())
      for (const resources of containers.values())
        for (const id of resources.get(resource)?.devices.keys() ?? []) ids.add(id);
    return ids;
  }

  has(resource: string): boolean {
    return [...this.#pods.values()].some(({ containers }) =>
      [...containers.values()].some((resources) => resources.has(resource)),
    );
  }

  /** The pods that have one of these devices. */
  podsWith(resource: string, ids: ReadonlySet<string>): readonly string[] {
    return this.podUids().filter((uid) => [...this.ofPod(uid, resource)].some((id) => ids.has(id)));
  }

  /** Keeps devices from others until the returned object is disposed. */
  reserve(resource: string, ids: readonly string[]): Disposable {
    const reserved = this.#reserved.get(resource) ?? new Set();
    this.#reserved.set(resource, reserved);
    const own = ids.filter((id) => !reserved.has(id));
    for (const id of own) reserved.add(id);
    return {
      [Symbol.dispose]() {
        for (const id of own) reserved.delete(id);
      },
    };
  }

  set(owner: { readonly podUid: string; readonly container: string }, resource: string, allocation: Allocation): void {
    const pod = this.#pods.get(owner.podUid) ?? { containers: new Map(), reusable: new Map() };
    this.#pods.set(owner.podUid, pod);
    const resources = pod.containers.get(owner.container) ?? new Map<string, Allocation>();
    pod.containers.set(owner.container, resources);
    resources.set(resource, allocation);
  }

  /** Lets later containers of the pod have the devices of an init container, or keeps a container's devices for itself. */
  share(podUid: string, container: string, isShared: boolean): void {
    const pod = this.#pods.get(podUid);
    for (const [resource, { devices }] of pod?.containers.get(container) ?? []) {
      const ids = pod?.reusable.get(resource) ?? new Set<string>();
      pod?.reusable.set(resource, ids);
      for (const id of devices.keys())
        if (isShared) ids.add(id);
        else ids.delete(id);
    }
  }

  /** True when the pod had something. */
  remove(podUid: string): boolean {
    return this.#pods.delete(podUid);
  }

  entries(): readonly DeviceEntry[] {
    return [...this.#pods].flatMap(([podUid, { containers }]) =>
      [...containers].flatMap(([container, resources]) =>
        [...resources].map(([resource, { devices, answer }]): DeviceEntry => ({
          ...{ podUid, container, resource },
          ids: byNode(devices),
          answer: protocol.containerAllocateResponse.encode(answer),
        })),
      ),
    );
  }

  restore(entries: readonly DeviceEntry[]): void {
    for (const { podUid, container, resource, ids, answer } of entries) {
      const devices = new Map<string, number[]>();
      for (const [node, list] of ids)
        for (const id of list) {
          const nodes = devices.get(id) ?? [];
          if (node !== NO_NODE) nodes.push(node);
          devices.set(id, nodes);
        }
      this.set({ podUid, container }, resource, {
        devices,
        answer: protocol.containerAllocateResponse.decode(answer),
      });
    }
  }
}

export function allocationOf(
  ids: readonly string[],
  known: ReadonlyMap<string, PluginDevice>,
  answer: ContainerAnswer,
): Allocation {
  return { devices: new Map(ids.map((id) => [id, known.get(id)?.nodes ?? []])), answer };
}

const NOTHING: ReadonlyMap<string, Allocation> = new Map();
const NO_IDS: ReadonlySet<string> = new Set();

function byNode(devices: ReadonlyMap<string, readonly number[]>): ReadonlyMap<number, readonly string[]> {
  const nodes = new Map<number, string[]>();
  for (const [id, near] of devices)
    for (const node of near.length === 0 ? [NO_NODE] : near) {
      const list = nodes.get(node) ?? [];
      list.push(id);
      nodes.set(node, list);
    }
  return nodes;
}
