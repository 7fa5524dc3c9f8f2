import type { DeepReadonly } from '../../../base/index.ts';
import type { Volume } from '../../../api/types/core/v1.d.ts';

/** Whether a CSI driver may attach the volume: it uses a claim, or an in-tree plugin that was migrated to CSI. */
export function isCountedByDriver(volume: DeepReadonly<Volume>): boolean {
  const { persistentVolumeClaim, ephemeral, ...disks } = volume;
  if (persistentVolumeClaim !== undefined || ephemeral !== undefined) return true;
  const { awsElasticBlockStore, azureDisk, azureFile, cinder, gcePersistentDisk, portworxVolume, vsphereVolume } =
    disks;
  return [awsElasticBlockStore, azureDisk, azureFile, cinder, gcePersistentDisk, portworxVolume, vsphereVolume].some(
    (disk) => disk !== undefined,
  );
}
