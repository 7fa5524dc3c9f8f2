// What other folders may use: this machine's files and mounts, through Node.js and the machine's own programs.
export { DeviceMounter, type DeviceMounterParts } from './device-mounter.ts';
export { DiskCheckpoints } from './disk-checkpoints.ts';
export { errorCode } from './error-code.ts';
export { DISK_CALLS, type FileCalls, MEMORY_CALLS } from './file-calls.ts';
export { entriesBelow, type MountEntry, type MountOptions, Mounts } from './mounts.ts';
export { makeFolderIn, openBelow, openIn, pathIn } from './opened-path.ts';
export { MountedError, removeTree, tryRemoveFolder } from './remove-tree.ts';
export { SmallShell } from './small-shell.ts';
export { makeDurableFolder, syncFolder } from './durable-folder.ts';
