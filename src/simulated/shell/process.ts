import { posix } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { FileTree } from './file-tree.ts';
import type { Terminal } from './terminal.ts';

/** What all processes of a container have in common. */
export interface ShellMachine {
  readonly hostname: string;
  readonly files: FileTree;
  readonly clock: Clock;
}

/** A process in a simulated container. */
export interface ShellProcess {
  readonly machine: ShellMachine;
  readonly environment: ReadonlyMap<string, string>;
  readonly directory: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Resolve when there is room for more. */
  readonly stdout: (bytes: Uint8Array) => Promise<void>;
  readonly stderr: (bytes: Uint8Array) => Promise<void>;
  /** Ends the process. */
  readonly signal: AbortSignal;
  /** Where somebody types; undefined when input and output are plain streams. */
  readonly terminal: Terminal | undefined;
  /** How many shells it runs in. */
  readonly depth: number;
}

/** Runs to its end; the answer is the exit code. */
export type Program = (args: readonly string[], process: ShellProcess) => Promise<number>;

export function print({ stdout }: ShellProcess, text: string): Promise<void> {
  return stdout(Buffer.from(text));
}

/** Says what is wrong; the answer is the exit code. */
export async function fail({ stderr }: ShellProcess, message: string, code = 1): Promise<number> {
  await stderr(Buffer.from(`${message}\n`));
  return code;
}

export function pathOf({ directory }: ShellProcess, path: string): string {
  return posix.resolve(directory, path);
}

/** All that comes; more than `maxBytes` is an error. */
export async function readAll(input: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of input) {
    bytes += part.length;
    if (bytes > maxBytes) throw new Error('File too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
