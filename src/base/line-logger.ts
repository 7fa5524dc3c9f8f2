import type { Clock } from './clock.ts';
import type { LogFields, Logger, LogLevel, LogRecord } from './logger.ts';
import { describeError } from './error-text.ts';

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const NO_FIELDS: LogFields = {};

export interface LineLoggerOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Receives one finished line, newline included; it must not throw. */
  readonly write: (line: string) => void;
  /** Records below this level are dropped; default 'info'. */
  readonly level?: LogLevel;
  /** Default `formatText`; `formatJson` is the other. */
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

const LETTERS: Readonly<Record<LogLevel, string>> = { debug: 'D', info: 'I', warn: 'W', error: 'E' };

/**
 * A record for people, much as Kubernetes' programs write theirs; times are UTC.
 *
 * Example: `I1115 04:31:00.123 "pod bound" pod="default/web-1" node="n3" attempts=2`
 */
export function formatText(record: LogRecord): string {
  const time = new Date(record.timeMs).toISOString(); // 2026-11-15T04:31:00.123Z
  let line = `${LETTERS[record.level]}${time.slice(5, 7)}${time.slice(8, 10)} ${time.slice(11, 23)} ${JSON.stringify(record.message)}`;
  for (const [name, value] of Object.entries(record.fields)) {
    if (value !== undefined) line += ` ${name}=${textOf(value)}`;
  }
  return line;
}

/** As `formatText`, with the stack of each error below it: for the developers of the program. */
export function formatWithStack(record: LogRecord): string {
  const { error } = record.fields;
  if (record.level !== 'error' || !(error instanceof Error)) return formatText(record);
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at (?!.*\(?node:)/.test(line));
  const theirs = frames.filter((line) => !OWN_FRAME.test(line));
  return [formatText(record), ...(theirs.length === 0 ? frames : theirs)].join('\n');
}

/** Frames in the published package, whose lines are long and say nothing to authors of apps. */
const OWN_FRAME = /[/\\]node_modules[/\\]keelson[/\\]/;

/**
 * A record for programs: one JSON object.
 *
 * A field called `ts`, `level` or `msg` is written with an underscore after it, so that it cannot hide the record's.
 */
export function formatJson(record: LogRecord): string {
  const { timeMs, level, message, fields } = record;
  let line = `{"ts":"${new Date(timeMs).toISOString()}","level":"${level}","msg":${JSON.stringify(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const isTaken = name === 'ts' || name === 'level' || name === 'msg';
    line += `,${JSON.stringify(isTaken ? `${name}_` : name)}:${jsonOf(value)}`;
  }
  return `${line}}`;
}

function textOf(value: unknown): string {
  return value instanceof Error ? JSON.stringify(describeError(value)) : jsonOf(value);
}

/** Logging must not fail because of a value: values that JSON cannot represent are written as strings. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, sayable) ?? JSON.stringify(String(value));
  } catch {
    return JSON.stringify(Object.prototype.toString.call(value)); // a cyclic object, or one whose getters throw
  }
}

function sayable(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return { message: describeError(value), stack: value.stack };
  return value;
}
