import { posix } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import type { FileTree } from './file-tree.ts';
import type { ProcessTable } from './process-table.ts';
import type { Processor } from './processor.ts';
import type { Terminal } from './terminal.ts';

/** Shared by all processes of a container. */
export interface ShellMachine {
  readonly hostname: string;
  /** Of the pod. */
  readonly addresses?: readonly string[];
  readonly identity: { readonly user: number; readonly group: number; readonly groups: readonly number[] };
  readonly files: FileTree;
  readonly clock: Clock;
  readonly random: Random;
  readonly processor: Processor;
  readonly processes: ProcessTable;
  /** Aborts when the container ends. */
  readonly signal: AbortSignal;
  /** Reads the files of volumes when one of the words may name one of them. */
  readonly prepareFiles?: (words: readonly string[], directory: string) => Promise<void> | undefined;
  /** Where the container's main process writes to, for other processes. */
  readonly mainOutput?: Writer;
  /** A signal to the main process for which it has no handler. */
  readonly signalMain?: (signal: number) => void;
}

/** Resolves when there is room for more. */
export type Writer = (bytes: Uint8Array) => Promise<void>;

/** An open file. */
export interface Descriptor {
  readonly input?: AsyncIterable<Uint8Array>;
  readonly output?: Writer;
}

/** Answers for a program of the image, which is not known here; undefined when there is no such program. */
export type ImageProgram = (
  words: readonly string[],
  process: ShellProcess,
  isInShell: boolean,
) => Promise<number> | undefined;

/** A process in a simulated container. */
export interface ShellProcess {
  readonly machine: ShellMachine;
  readonly pid: number;
  readonly environment: ReadonlyMap<string, string>;
  readonly directory: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Writer;
  readonly stderr: Writer;
  /** Open files with other numbers than those three. */
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  /** Ends the process. */
  readonly signal: AbortSignal;
  /** The terminal of an interactive session; undefined when input and output are plain streams. */
  readonly terminal: Terminal | undefined;
  /** The number of shells and functions around it. */
  readonly depth: number;
  readonly imageProgram: ImageProgram;
  /** Runs another program; set by the shell. */
  readonly run: (words: readonly string[], process: ShellProcess) => Promise<number>;
}

/** Runs to its end and returns the exit code. */
export type Program = (args: readonly string[], process: ShellProcess) => Promise<number>;

/** Thrown by output to a pipe that no process reads any more. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';
}

export function print({ stdout }: ShellProcess, text: string): Promise<void> {
  return text === '' ? Promise.resolve() : stdout(Buffer.from(text));
}

/** Prints an error and returns the exit code. */
export async function fail({ stderr }: ShellProcess, message: string, code = 1): Promise<number> {
  await stderr(Buffer.from(`${message}\n`));
  return code;
}

export function pathOf({ directory }: { readonly directory: string }, path: string): string {
  return posix.resolve(directory, path);
}

/** Text of this length costs one step. */
const BYTES_PER_STEP = 2048;

/** Counts the work on some bytes, and waits when the process must. */
export async function spend({ machine }: ShellProcess, bytes: number): Promise<void> {
  const pause = machine.processor.take(Math.ceil(bytes / BYTES_PER_STEP));
  if (pause !== undefined) await pause;
}

/** The input that a program takes at most when it needs all of it at once. */
export const MAX_INPUT_BYTES = 1024 * 1024;

/** All input; throws when it exceeds `maxBytes`. */
export async function readAll(input: AsyncIterable<Uint8Array>, maxBytes = MAX_INPUT_BYTES): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of input) {
    bytes += part.length;
    if (bytes > maxBytes) throw new Error('Cannot allocate memory');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
