import { homedir } from 'node:os';
import { join } from 'node:path';
import { formatJson, formatText, LineLogger, type Logger, type LogLevel, RealClock } from '../../base/index.ts';
import { UsageError } from '../command.ts';
import { type FlagDefinitions, type Flags, grouped } from '../flags.ts';

/** Flags of all programs that log, under upstream's names. */
export const logFlags: FlagDefinitions = grouped('Logs', {
  'logging-format': { type: 'string', value: 'FORMAT', default: 'text', help: 'Format of log lines: text or json' },
  v: { type: 'string', value: 'N', default: '0', help: 'Verbosity of the log; 4 and more log single steps' },
});

/** A flag that upstream's programs do not have. */
export const logLevelFlag: FlagDefinitions = grouped('Logs', {
  'log-level': { type: 'string', value: 'LEVEL', help: 'Lowest level that is logged: debug, info, warn or error' },
});

/** The value of `--log-level`, if set. */
export function logLevelOf(flags: Flags): LogLevel | undefined {
  const text = flags.text('log-level');
  if (text === undefined) return undefined;
  const level = LEVELS.find((each) => each === text);
  if (level === undefined) throw new UsageError(`--log-level must be ${LEVELS.join(', ')}, got "${text}"`);
  return level;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** The log according to the flags; by default nothing below `level`. */
export function logOf(flags: Flags, printError: (line: string) => void, level: LogLevel): Logger {
  const format = flags.text('logging-format');
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--logging-format must be text or json, got "${format ?? ''}"`);
  const verbosity = flags.integer('v', { min: 0, max: 100 }) ?? 0;
  return new LineLogger({
    write: (line) => printError(line.trimEnd()),
    level: verbosity >= DEBUG_VERBOSITY ? 'debug' : level,
    format: format === 'json' ? formatJson : formatText,
    clock: new RealClock(),
  });
}

/** From this verbosity on kube-apiserver logs single requests. */
const DEBUG_VERBOSITY = 4;

/** Where a cluster keeps its store, keys and kubeconfig by default. */
export function defaultDataFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['KEELSON_DATA_DIR'] ?? join(homedir(), '.keelson');
}
