import type { Clock } from './clock.ts';
import { formatText } from './log-format.ts';
import type { LogFields, Logger, LogLevel, LogRecord } from './logger.ts';

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const NO_FIELDS: LogFields = {};

export interface LineLoggerOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Takes one finished line, newline included; it must not throw. */
  readonly write: (line: string) => void;
  /** Less than this is dropped; 'info' unless given. */
  readonly level?: LogLevel;
  /** `formatText` unless given, or `formatJson`. */
  readonly format?: (record: LogRecord) => string;
}

/** Writes each record as one line to the given writer. */
export class LineLogger implements Logger {
  readonly #options: Required<LineLoggerOptions>;
  readonly #fields: LogFields;
  readonly #lowest: number;

  constructor(options: LineLoggerOptions, fields: LogFields = NO_FIELDS) {
    this.#options = { level: 'info', format: formatText, ...options };
    this.#fields = fields;
    this.#lowest = SEVERITY[this.#options.level];
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  with(fields: LogFields): Logger {
    return new LineLogger(this.#options, { ...this.#fields, ...fields });
  }

  isEnabled(level: LogLevel): boolean {
    return SEVERITY[level] >= this.#lowest;
  }

  #log(level: LogLevel, message: string, fields: LogFields = NO_FIELDS): void {
    if (SEVERITY[level] < this.#lowest) return;
    const { clock, format, write } = this.#options;
    write(`${format({ timeMs: clock.now(), level, message, fields: { ...this.#fields, ...fields } })}\n`);
  }
}
