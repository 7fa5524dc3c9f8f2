import type { PluginDevice } from './plugin-connection.ts';

export interface DeviceChoice {
  readonly resource: string;
  /** How many devices the container asks for. */
  readonly count: number;
  /** All devices of the resource by id. */
  readonly devices: ReadonlyMap<string, PluginDevice>;
  /** Devices of earlier init containers of the pod; they are taken first. */
  readonly reusable: ReadonlySet<string>;
  /** The NUMA nodes that were agreed on; undefined for any. */
  readonly nodes: readonly number[] | undefined;
  /** Ids that are healthy and not in use at this moment. */
  available(): ReadonlySet<string>;
  /** Asks the plugin; empty where it has no preference. */
  preferred(available: readonly string[], mustInclude: readonly string[], size: number): Promise<readonly string[]>;
}

/** Chooses devices for a container in the order of a kubelet: reusable, near to the agreed NUMA nodes, preferred by the plugin, any. */
export async function chooseDevices(choice: DeviceChoice): Promise<readonly string[]> {
  const { resource, count, reusable } = choice;
  const chosen = new Set<string>();
  const take = (ids: Iterable<string>): boolean => {
    for (const id of ids) {
      if (chosen.size === count) break;
      chosen.add(id);
    }
    return chosen.size === count;
  };
  if (take(reusable)) return [...chosen];
  const free = choice.available();
  if (free.size < count - chosen.size)
    throw new Error(
      `requested number of devices unavailable for ${resource}. Requested: ${count - chosen.size}, Available: ${free.size}`,
    );
  const { aligned, unaligned, without } = byAffinity(choice, free);
  /** What the plugin prefers of these. Some may no longer be free by the time that it answers. */
  const preferredOf = async (ids: readonly string[]): Promise<readonly string[]> => {
    const must = [...chosen];
    const wanted = new Set(ids);
    const preferred = await choice.preferred([...new Set([...must, ...ids])], must, count);
    const stillFree = choice.available();
    return preferred.filter((id) => wanted.has(id) && stillFree.has(id));
  };
  const stillFree = (ids: readonly string[]): readonly string[] => {
    const now = choice.available();
    return ids.filter((id) => now.has(id));
  };
  if (count - chosen.size < aligned.length) {
    if (take(await preferredOf(aligned)) || take(stillFree(aligned))) return [...chosen];
  } else if (
    take(aligned) ||
    take(await preferredOf([...free])) ||
    take(stillFree(unaligned)) ||
    take(stillFree(without))
  ) {
    return [...chosen];
  }
  throw new Error(`unexpectedly allocated less resources than required. Requested: ${count}, Got: ${chosen.size}`);
}

interface ByAffinity {
  readonly aligned: readonly string[];
  readonly unaligned: readonly string[];
  /** Devices that are near to no NUMA node, or all of them where none was agreed on. */
  readonly without: readonly string[];
}

function byAffinity({ devices, nodes }: DeviceChoice, free: ReadonlySet<string>): ByAffinity {
  const ids = [...free];
  const hasTopology = [...devices.values()].some((device) => device.nodes.length > 0);
  if (nodes === undefined || !hasTopology) return { aligned: [], unaligned: [], without: ids };
  const near = (id: string): readonly number[] => devices.get(id)?.nodes ?? [];
  const isAligned = (id: string): boolean => near(id).some((node) => nodes.includes(node));
  return {
    aligned: ids.filter(isAligned),
    unaligned: ids.filter((id) => near(id).length > 0 && !isAligned(id)),
    without: ids.filter((id) => near(id).length === 0),
  };
}
