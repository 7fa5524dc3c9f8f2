/** How important a log record is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Writes log records: the message is a constant sentence, so that it can be counted and searched for; everything that varies
 * is a field.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to all its records. */
  with(fields: LogFields): Logger;
  /** Whether records of this level are written: check before gathering costly fields. */
  isEnabled(level: LogLevel): boolean;
}

/** One log record, before formatting. */
export interface LogRecord {
  readonly timeMs: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that drops everything. */
export const discardLogger: Logger = {
  debug: discard,
  info: discard,
  warn: discard,
  error: discard,
  with: () => discardLogger,
  isEnabled: () => false,
};

function discard(): void {
  // drops the record
}
