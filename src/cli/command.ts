/** One thing the program can do, as the overview tells of it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The overview does not tell of it. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<Command>;
}

/** How it is done. */
export interface Command {
  /** `keelson up [flags]` and what the flags mean. */
  readonly usage: string;
  /** Answers with the exit code, when it is not 0. */
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
  /** How this program is started: Node and the program's file. Absent where it runs inside another one. */
  readonly program?: { readonly node: string; readonly file: string };
  /** Calls the listener at each SIGINT and SIGTERM, of which no number then ends the process, until the result is disposed of. */
  onStopSignal?(listener: (signal: StopSignal) => void): Disposable;
  print(text: string): void;
  printError(text: string): void;
}

/** A mistake in the arguments: told with the usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
