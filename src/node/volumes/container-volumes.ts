import type { Observed, Pod } from '../../client/index.ts';
import type { Volume } from '../backend/index.ts';
import type { ContainerVolume } from '../config/index.ts';
import type { ImageSpec } from '../runtime/index.ts';
import { hasPayload } from './volume-files.ts';

export interface ContainerVolumesParts {
  /** Of the pod's volumes on the machine, by name. */
  readonly paths: ReadonlyMap<string, string>;
  /** The images of its image volumes, by the name of the volume. */
  readonly images: ReadonlyMap<string, ImageSpec>;
}

/** The volumes of a pod as containers mount them, by name. */
export function containerVolumes(
  { spec }: Observed<Pod>,
  { paths, images }: ContainerVolumesParts,
): ReadonlyMap<string, ContainerVolume> {
  const found = new Map<string, ContainerVolume>();
  for (const volume of spec?.volumes ?? []) {
    const path = paths.get(volume.name);
    const image = images.get(volume.name);
    if (volume.image !== undefined) {
      if (image !== undefined) found.set(volume.name, { path: '', image, isReadOnly: true, isRelabelled: false });
    } else if (path !== undefined) {
      found.set(volume.name, { path, isReadOnly: isReadOnly(volume), isRelabelled: isRelabelled(volume) });
    }
  }
  return found;
}

function isReadOnly(volume: Volume): boolean {
  const { persistentVolumeClaim, nfs, csi } = volume;
  return hasPayload(volume) || [persistentVolumeClaim, nfs, csi].some((source) => source?.readOnly === true);
}

/** Files of the machine and of network servers keep their labels; those that the agent made for the pod get the pod's. */
function isRelabelled(volume: Volume): boolean {
  return hasPayload(volume) || volume.emptyDir !== undefined;
}
