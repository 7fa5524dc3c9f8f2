export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** Tells what happens: a constant sentence, so that it can be counted and searched for, and what varies as fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to all it writes. */
  with(fields: LogFields): Logger;
  /** Whether lines of this level go anywhere: ask before gathering costly fields. */
  isEnabled(level: LogLevel): boolean;
}

/** One thing that was logged, before it is put into words. */
export interface LogRecord {
  readonly timeMs: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger for those who have nobody to tell. */
export const discardLogger: Logger = {
  debug: discard,
  info: discard,
  warn: discard,
  error: discard,
  with: () => discardLogger,
  isEnabled: () => false,
};

function discard(): void {
  // dropping what it is told is the whole point
}
