import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../base/index.ts';
import type { VolumeMachine } from '../../csi/index.ts';
import { type Mounts, removeTree } from '../../system/index.ts';
import { giveToGroup } from './ownership.ts';
import { SubPaths } from './sub-paths.ts';

export interface DriverMachineParts {
  /** The agent's folder. */
  readonly root: string;
  readonly mounts: Mounts;
  readonly log: Logger;
}

/** What the agent does on this machine for volumes that drivers mount. */
export function driverMachine({ root, mounts, log }: DriverMachineParts): VolumeMachine {
  const subPaths = new SubPaths(root, { mounts, log });
  return {
    isMountPoint: (path) => mounts.isMountPoint(path),
    removeFolder: (path) => removeTree(path),
    async bindFile(source, target) {
      if (await mounts.isMountPoint(target)) return;
      await mkdir(dirname(target), { recursive: true, mode: 0o750 });
      await writeFile(target, '', { flag: 'a', mode: 0o640 });
      await mounts.bind(source, target);
    },
    async unbindFile(target) {
      while (await mounts.isMountPoint(target)) await mounts.unmount(target);
      await rm(target, { force: true });
    },
    giveToGroup: (folder, pod) => giveToGroup(folder, pod, { isReadOnly: false, hasPolicy: true, log }),
    subPath: (request) => subPaths.bind(request),
    removeEmptyFolders: async () => undefined, // the agent removes the pod's folder
    removeSubPaths: (podUid, volume) => subPaths.remove(podUid, volume),
  };
}
