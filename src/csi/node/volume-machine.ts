import { rm } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Observed, Pod } from '../../client/index.ts';
import type { SubPathRequest } from '../../node/index.ts';

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
}

/** A machine on which the agent mounts nothing itself: what the driver publishes is all there is. */
export const PLAIN_MACHINE: VolumeMachine = {
  isMountPoint: async () => false,
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  bindFile: async () => undefined,
  unbindFile: async () => undefined,
  giveToGroup: async () => undefined,
  subPath: async ({ path, subPath }) => posix.join(path, subPath),
  removeSubPaths: async () => undefined,
};
