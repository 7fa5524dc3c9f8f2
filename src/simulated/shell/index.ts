// A small shell with files in memory, for commands in simulated containers.
export { DiskTree } from './disk-tree.ts';
export { FileTree, type MountedVolume } from './file-tree.ts';
export type { ImageProgram, ShellMachine, ShellProcess } from './process.ts';
export { MAIN, ProcessTable, signalNumber } from './process-table.ts';
export { Processor } from './processor.ts';
export { converse, isKnownProgram, runProgram } from './run-program.ts';
export { Terminal } from './terminal.ts';
