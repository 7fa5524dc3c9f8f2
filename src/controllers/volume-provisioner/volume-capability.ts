import type { Observed, PersistentVolume } from '../../client/index.ts';
import type { VolumeCapability } from './volume-driver.ts';

/** How an existing volume is used, as far as it says so itself. */
export function volumeCapabilityOf(
  spec: NonNullable<Observed<PersistentVolume>['spec']>,
  defaultFsType?: string,
): VolumeCapability {
  const { accessModes = [], volumeMode, mountOptions, csi } = spec;
  if (volumeMode === 'Block') return { accessType: 'block', accessModes };
  const named = csi?.fsType ?? '';
  const fsType = named === '' ? defaultFsType : named;
  return {
    accessType: 'mount',
    accessModes,
    ...(fsType === undefined ? {} : { fsType }),
    ...(mountOptions === undefined ? {} : { mountFlags: mountOptions }),
  };
}
