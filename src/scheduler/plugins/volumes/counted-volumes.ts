import type { DeepReadonly } from '../../../base/index.ts';
import type { Volume } from '../../../api/types/core/v1.d.ts';

/** Whether a volume of a pod may be one that a driver attaches: a claim's, or one of a plugin that a driver has taken over from. */
export function isCountedByDriver(volume: DeepReadonly<Volume>): boolean {
  const { persistentVolumeClaim, ephemeral, ...disks } = volume;
  if (persistentVolumeClaim !== undefined || ephemeral !== undefined) return true;
  const { awsElasticBlockStore, azureDisk, azureFile, cinder, gcePersistentDisk, portworxVolume, vsphereVolume } =
    disks;
  return [awsElasticBlockStore, azureDisk, azureFile, cinder, gcePersistentDisk, portworxVolume, vsphereVolume].some(
    (disk) => disk !== undefined,
  );
}
