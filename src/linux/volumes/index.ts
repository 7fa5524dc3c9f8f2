// The kinds of volumes that a Linux node can mount.
import type { VolumePlugin } from '../../node/index.ts';
import { ApiVolumes } from './api-volumes.ts';
import { EmptyDirs } from './empty-dirs.ts';
import type { FolderPluginParts } from './folder-plugin.ts';
import { HostPaths } from './host-paths.ts';
import { IMAGE_VOLUMES } from './image-volumes.ts';
import { LocalVolumes } from './local-volumes.ts';
import { NfsVolumes } from './nfs-volumes.ts';
import { SubPaths } from './sub-paths.ts';

export { driverMachine } from './driver-machine.ts';

/** The first that supports a volume mounts it; drivers from outside come after these. */
export function linuxVolumes(given: Omit<FolderPluginParts, 'subPaths'>): readonly VolumePlugin[] {
  const parts = { ...given, subPaths: new SubPaths(given.root, given) };
  return [
    new ApiVolumes('configMap', parts),
    new ApiVolumes('secret', parts),
    new ApiVolumes('projected', parts),
    new ApiVolumes('downwardAPI', parts),
    new EmptyDirs(parts),
    new HostPaths(parts),
    new LocalVolumes(parts),
    new NfsVolumes(parts),
    IMAGE_VOLUMES,
  ];
}
