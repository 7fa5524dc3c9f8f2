import type { Part } from '../../kit/index.ts';
import { volumeAttacher } from '../volume-attacher/volume-attacher.ts';
import { type SidecarSettings, type VolumeDriver, volumeProvisioner } from '../volume-provisioner/index.ts';
import { volumeModifier } from '../volume-resizer/volume-modifier.ts';
import { volumeResizer } from '../volume-resizer/volume-resizer.ts';

/** The sidecar controllers of a volume driver, as far as the driver supports them. */
export function volumeSidecars(driver: VolumeDriver, settings: SidecarSettings = {}): readonly Part[] {
  return [volumeProvisioner, volumeAttacher, volumeResizer, volumeModifier].flatMap((sidecar) =>
    sidecar(driver, settings),
  );
}
