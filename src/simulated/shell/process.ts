import { posix } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { FileTree } from './file-tree.ts';
import type { Terminal } from './terminal.ts';

/** Shared by all processes of a container. */
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
  /** The terminal of an interactive session; undefined when input and output are plain streams. */
  readonly terminal: Terminal | undefined;
  /** The number of shells around it. */
  readonly depth: number;
}

/** Runs to its end and returns the exit code. */
export type Program = (args: readonly string[], process: ShellProcess) => Promise<number>;

export function print({ stdout }: ShellProcess, text: string): Promise<void> {
  return stdout(Buffer.from(text));
}

/** Prints an error and returns the exit code. */
export async function fail({ stderr }: ShellProcess, message: string, code = 1): Promise<number> {
  await stderr(Buffer.from(`${message}\n`));
  return code;
}

export function pathOf({ directory }: ShellProcess, path: string): string {
  return posix.resolve(directory, path);
}

/** All input; throws when it exceeds `maxBytes`. */
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
