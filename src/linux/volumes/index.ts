// The kinds of volumes that a Linux node can mount.
import { type DriverFolder, FlexVolumes } from '../../flexvolume/index.ts';
import type { VolumePlugin } from '../../node/index.ts';
import type { SmallShell } from '../../system/index.ts';
import { ApiVolumes } from './api-volumes.ts';
import { fileSystemStats } from './disk-usage.ts';
import { EmptyDirs } from './empty-dirs.ts';
import type { FolderPluginParts } from './folder-plugin.ts';
import { HostPaths } from './host-paths.ts';
import { IMAGE_VOLUMES } from './image-volumes.ts';
import { LocalVolumes } from './local-volumes.ts';
import { NfsVolumes } from './nfs-volumes.ts';
import { giveToGroup } from './ownership.ts';
import { SubPaths } from './sub-paths.ts';

export { driverMachine } from './driver-machine.ts';

export interface LinuxVolumesParts extends Omit<FolderPluginParts, 'subPaths'> {
  readonly shell: Pick<SmallShell, 'run'>;
  /** The FlexVolume drivers of the machine. */
  readonly flexDrivers: DriverFolder;
}

/** The first that supports a volume mounts it; drivers from outside come after these. */
export function linuxVolumes(given: LinuxVolumesParts): readonly VolumePlugin[] {
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
    flexVolumes(parts),
  ];
}

function flexVolumes(parts: LinuxVolumesParts & Pick<FolderPluginParts, 'subPaths'>): VolumePlugin {
  const { root, mounts, shell, log, subPaths, flexDrivers: drivers } = parts;
  return new FlexVolumes({
    root,
    mounts,
    shell,
    log,
    drivers,
    giveToGroup: (folder, pod) => giveToGroup(folder, pod, { isReadOnly: false, hasPolicy: true, log }),
    bindSubPath: (request) => subPaths.bind(request),
    removeSubPaths: (podUid, volume) => subPaths.remove(podUid, volume),
    fileSystemStats,
  });
}
