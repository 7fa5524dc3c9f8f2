import { rm, rmdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Observed, Pod } from '../../client/index.ts';
import { podFolder, type SubPathRequest } from '../../node/index.ts';

/** What the machine does for volumes beside the driver; a simulated machine does nothing. */
export interface VolumeMachine {
  isMountPoint(path: string): Promise<boolean>;
  /** Removes a folder with everything in it, but never what is mounted there. */
  removeFolder(path: string): Promise<void>;
  /** Makes a device visible at another path, which is created. */
  bindFile(source: string, target: string): Promise<void>;
  unbindFile(target: string): Promise<void>;
  /** Gives the files of a volume to the pod's fsGroup. */
  giveToGroup(folder: string, pod: Observed<Pod>): Promise<void>;
  subPath(request: SubPathRequest): Promise<string>;
  removeSubPaths(podUid: string, volume: string): Promise<void>;
  /** Removes folders of a pod that are empty now, where nothing else removes the folder of the pod. */
  removeEmptyFolders(podUid: string): Promise<void>;
}

/** A machine on which the agent mounts nothing itself: what the driver publishes, below the agent's folder `root`, is all there is. */
export const plainMachine = (root: string): VolumeMachine => ({
  isMountPoint: async () => false,
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  bindFile: async () => undefined,
  unbindFile: async () => undefined,
  giveToGroup: async () => undefined,
  subPath: async ({ path, subPath }) => posix.join(path, subPath),
  removeSubPaths: async () => undefined,
  async removeEmptyFolders(podUid) {
    const pod = podFolder(root, podUid);
    for (const kind of ['volumes', 'volumeDevices'])
      for (const folder of [join(pod, kind, 'kubernetes.io~csi'), join(pod, kind)])
        await rmdir(folder).catch(() => undefined); // it is not empty, or not there
    await rmdir(pod).catch(() => undefined); // likewise
  },
});
