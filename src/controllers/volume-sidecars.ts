import type { Part } from '../kit/index.ts';
import { volumeAttacher } from './volume-attacher/volume-attacher.ts';
import { type VolumeDriver, volumeProvisioner } from './volume-provisioner/index.ts';
import { volumeModifier } from './volume-resizer/volume-modifier.ts';
import { volumeResizer } from './volume-resizer/volume-resizer.ts';

/** All that runs beside a driver of volumes, as far as the driver can do what they ask of it. */
export function volumeSidecars(driver: VolumeDriver): readonly Part[] {
  return [volumeProvisioner, volumeAttacher, volumeResizer, volumeModifier].flatMap((sidecar) => sidecar(driver));
}
