// What other folders may use: this machine's files and mounts, through Node.js and the machine's own programs.
export { DiskCheckpoints } from './disk-checkpoints.ts';
export { errorCode } from './error-code.ts';
export { entriesBelow, type MountEntry, type MountOptions, Mounts } from './mounts.ts';
export { makeFolderIn, openBelow, openIn, pathIn } from './opened-path.ts';
export { removeTree } from './remove-tree.ts';
export { SmallShell } from './small-shell.ts';
