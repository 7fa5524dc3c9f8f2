import { driverOf, requestOf, storageIn } from '../../api/meaning/index.ts';
import { mergePatch, type Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import { controller, type Part, type ReconcileContext } from '../../kit/index.ts';
import { expandOnNode } from './expand-on-node.ts';

/** Volume sources of in-tree plugins that were migrated to CSI. */
const PLUGINS: readonly (readonly [keyof NonNullable<PersistentVolume['spec']>, string])[] = [
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['cinder', 'kubernetes.io/cinder'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
];

const COMPONENT = 'volume_expand';
const CONCURRENCY = 10;
/** The annotation with the driver that expands the claim's volume. */
const RESIZER = 'volume.kubernetes.io/storage-resizer';

type Claim = Observed<PersistentVolumeClaim>;

/**
 * Requests expansion of volumes from CSI drivers when claims request more than they have, and of FlexVolumes from nodes. No other in-tree
 * plugin can expand any more.
 */
export function volumeExpandController(): Part {
  return controller(PersistentVolumeClaim, {
    name: 'persistentvolume-expander',
    queueName: 'volume_expand',
    component: COMPONENT,
    concurrency: CONCURRENCY,
    reads: [PersistentVolume],
    when: hasGrown,
    reconcile: expand,
  });
}

/** Whether the claim is new, or its request or capacity increased. */
function hasGrown(claim: Claim, old: Claim | undefined): boolean {
  if (claim.status?.phase !== 'Bound') return false;
  if (old === undefined) return true;
  return (
    requestOf(claim).compare(requestOf(old)) > 0 ||
    storageIn(claim.status.capacity).compare(storageIn(old.status?.capacity)) > 0
  );
}

async function expand(claim: Claim, context: ReconcileContext): Promise<void> {
  const { objects, event, key } = context;
  if (claim.status?.phase !== 'Bound') return;
  const { volumeName = '' } = claim.spec ?? {};
  const volume = await objects(PersistentVolume).fetch(volumeName);
  if (volume === undefined) throw new Error(`Cannot expand claim ${key}: there is no PersistentVolume "${volumeName}"`);
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid)
    throw new Error(`Cannot expand claim ${key}: PersistentVolume "${volumeName}" is not bound to it`);
  if (volume.spec.flexVolume !== undefined) return await expandOnNode(claim, volume, context);
  if (requestOf(claim).compare(storageIn(claim.status.capacity)) <= 0) return;
  const plugin = pluginOf(volume);
  const driver = driverOf(plugin);
  if (driver === undefined) {
    event({ reason: 'ExternalExpanding', message: 'waiting for an external controller to expand this PVC' });
    return;
  }
  event({
    reason: 'ExternalExpanding',
    message: `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`,
  });
  if (claim.metadata.annotations?.[RESIZER] === driver) return;
  const annotations = { [RESIZER]: driver };
  await objects(PersistentVolumeClaim).patchStatus(key, mergePatch({ metadata: { annotations } }));
}

/** The in-tree plugin of a volume that was migrated to CSI; empty otherwise. */
function pluginOf({ spec = {} }: Pick<Observed<PersistentVolume>, 'spec'>): string {
  return PLUGINS.find(([field]) => spec[field] !== undefined)?.[1] ?? '';
}
