/** One thing the program can do. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** `keelson up [flags]` and what the flags mean. */
  readonly usage: string;
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

/** The process as a command sees it. */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly isTerminal: boolean;
  print(text: string): void;
  printError(text: string): void;
}

/** A mistake in the arguments: told with the usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
