import { FlagError } from '../cluster/programs/index.ts';
import type { Paint } from './paint.ts';

/** The headings of the overview, in its order. */
export const COMMAND_GROUPS = ['Run a cluster', 'Run parts of one', 'Test', 'Develop', 'Inspect', 'Keep'] as const;

/** A command as the overview lists it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The heading of the overview under which it is listed; absent for commands that the overview leaves out. */
  readonly group?: (typeof COMMAND_GROUPS)[number];
  readonly load: () => Promise<Command>;
}

/** What a command does. */
export interface Command {
  /** What `--help` prints: the synopsis in the first line, then the flags that people use. */
  readonly usage: string;
  /** What `--help-all` prints: every flag; default `usage`. */
  readonly fullUsage?: string;
  /** Resolves to the exit code; default 0. */
  run(args: readonly string[], context: CommandContext): Promise<number | void>;
}

/** The signals that ask a program to stop. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The process as a command sees it. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly isTerminal: boolean;
  /** The Node binary and the file that start this program. Absent when it runs inside another program. */
  readonly program?: { readonly node: string; readonly file: string };
  /** Calls the listener at each SIGINT and SIGTERM instead of ending the process, until the result is disposed. */
  onStopSignal?(listener: (signal: StopSignal) => void): Disposable;
  print(text: string): void;
  printError(text: string): void;
  /** Tells people at a terminal what a longer command does at the moment, on standard error. */
  progress?(text: string): void;
  /** Colours what is printed; default not at all. */
  readonly paint?: Paint;
}

/** A mistake in the arguments: printed with the synopsis, exit code 2. */
export class UsageError extends FlagError {
  override readonly name = 'UsageError';
}
