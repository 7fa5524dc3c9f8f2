import { join, resolve } from 'node:path';
import type { RunningServer } from '../../peers/index.ts';
import type { NodeCredentials } from './node-credentials.ts';
import type { NodeLayout, PartCommand } from './node-layout.ts';

/** What a program of a node is prepared with. */
export interface NodeSurroundings {
  readonly server: RunningServer;
  readonly credentials: NodeCredentials;
  /** The keelson.js to start; default `dist/keelson.js` of the current folder. */
  readonly bundle?: string | undefined;
  /** Flags of Node.js for programs that run on it. */
  readonly nodeFlags?: readonly string[];
}

/** A program that is one part of a node: how its command comes to be, and the peers that it needs. */
export interface NodeProgram {
  readonly peers: readonly string[];
  /** Writes what the program reads, and returns its command. */
  prepare(layout: NodeLayout, around: NodeSurroundings): Promise<PartCommand>;
  /** Names of the tables in the packet filter that are the program's alone, and what stands after the command to remove them. */
  readonly rules?: { readonly tables: readonly string[]; readonly cleanup: readonly string[] };
}

/** A command of Keelson's own. */
export function keelsonCommand(
  { bundle = join('dist', 'keelson.js'), nodeFlags = [] }: NodeSurroundings,
  ...args: string[]
): PartCommand {
  return { program: process.execPath, args: [...nodeFlags, resolve(bundle), ...args] };
}
