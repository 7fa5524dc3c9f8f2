import { deepEqual } from '../../base/index.ts';
import { type Client, hasReason } from '../../client/index.ts';
import type { NodeSettings } from '../backend/index.ts';

/** Labels with the location of a node. */
const TOPOLOGY_KEYS = ['kubernetes.io/hostname', 'topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];
/** In-tree plugins that CSI drivers have replaced, as every kubelet lists them. */
const MIGRATED_PLUGINS = [
  'aws-ebs',
  'azure-disk',
  'azure-file',
  'cinder',
  'gce-pd',
  'portworx-volume',
  'vsphere-volume',
]
  .map((name) => `kubernetes.io/${name}`)
  .join();

/** Writes the CSINode object, which lists the drivers of a node. */
export async function registerDrivers(
  { name, drivers }: Pick<NodeSettings, 'name' | 'drivers'>,
  { client, uid }: { readonly client: Client; readonly uid: string },
): Promise<void> {
  if (drivers.length === 0) return;
  const { csinodes } = client.storage.v1;
  const spec = { drivers: drivers.map((driver) => ({ name: driver, nodeID: name, topologyKeys: TOPOLOGY_KEYS })) };
  const metadata = {
    name,
    annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': MIGRATED_PLUGINS },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
  };
  try {
    await csinodes.create({ metadata, spec });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    const known = await csinodes.get(name);
    const listed = (known.spec.drivers as typeof known.spec.drivers | null) ?? []; // an empty list is null in answers
    const others = listed.filter((each) => !drivers.includes(each.name)); // those that register themselves
    const all = [...others, ...spec.drivers];
    if (!deepEqual(listed, all)) await csinodes.update({ ...known, spec: { drivers: all } });
  }
}
