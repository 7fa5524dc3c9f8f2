import type { Node } from '../../../api/types/core/v1.d.ts';
import type { ResourceSlice } from '../../../api/types/resource/v1.d.ts';
import type { CSINode } from '../../../api/types/storage/v1.d.ts';
import { hasReason } from '../../../api/client.ts';
import type { NodePlugins } from '../../protocol.ts';
import type { AskedMap } from './asked-map.ts';
import { readItems } from './read-list.ts';

/** What nodes have without any plugin. */
const OWN_RESOURCE = /^(cpu|memory|pods|ephemeral-storage|storage|hugepages-.*|attachable-volumes-.*)$/;

/** Drivers and devices of nodes. */
export async function nodePlugins(asked: AskedMap): Promise<readonly NodePlugins[]> {
  const [nodes, drivers, slices] = await Promise.all([
    readItems<Node>(asked, '/api/v1/nodes'),
    readable(readItems<CSINode>(asked, '/apis/storage.k8s.io/v1/csinodes')),
    readable(readItems<ResourceSlice>(asked, '/apis/resource.k8s.io/v1/resourceslices')),
  ]);
  return nodes.map(({ metadata, status }) => {
    const node = metadata?.name ?? '';
    const { capacity = {}, allocatable = {}, nodeInfo } = status ?? {};
    const csi = drivers.find((each) => each.metadata?.name === node)?.spec?.drivers ?? [];
    const devices = new Map<string, number>();
    for (const { spec } of slices)
      if (spec?.nodeName === node)
        devices.set(spec.driver, (devices.get(spec.driver) ?? 0) + (spec.devices?.length ?? 0));
    return {
      node,
      ...(nodeInfo?.containerRuntimeVersion === undefined ? {} : { runtime: nodeInfo.containerRuntimeVersion }),
      drivers: (csi ?? []).map(({ name, allocatable: room, topologyKeys }) => ({
        name,
        ...(room?.count === undefined ? {} : { allocatable: room.count }),
        topology: topologyKeys ?? [],
      })),
      devices: Object.keys(capacity ?? {})
        .filter((resource) => !OWN_RESOURCE.test(resource))
        .map((resource) => ({
          resource,
          capacity: Number(capacity?.[resource] ?? 0),
          allocatable: Number(allocatable?.[resource] ?? 0),
        })),
      deviceDrivers: [...devices].map(([driver, count]) => ({ driver, devices: count })),
    };
  });
}

async function readable<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (error) {
    if (hasReason(error, 'Forbidden') || hasReason(error, 'NotFound')) return [];
    throw error;
  }
}
