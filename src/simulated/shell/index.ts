// A small shell with files in memory, for commands in simulated containers.
export { FileTree, type MountedVolume } from './file-tree.ts';
export type { ShellMachine, ShellProcess } from './process.ts';
export { converse, runProgram } from './shell.ts';
export { Terminal } from './terminal.ts';
