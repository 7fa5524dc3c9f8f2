import { availableParallelism } from 'node:os';
import type { Logger } from '../../base/index.ts';
import { WORKER_VARIABLE, type WorkersOptions } from '../../cluster/server-only.ts';
import { type CommandContext, UsageError } from '../command.ts';
import type { Flags } from '../flags.ts';

const MAX_WORKERS = 64;

/** The workers according to the flags; undefined when one process does everything. */
export function workersSettings(
  flags: Flags,
  context: CommandContext,
  { command, args, log }: { readonly command: string; readonly args: readonly string[]; readonly log: Logger },
): { readonly workers?: WorkersOptions } {
  const count = flags.integer('workers', { min: 0, max: MAX_WORKERS }) ?? 1;
  if (count <= 1) return {};
  if (context.program === undefined)
    throw new UsageError('--workers needs a server in its own process, and this one runs inside another');
  const processors = availableParallelism();
  if (count > processors && workerNumber(context) === undefined)
    log.warn('there are more workers than processors', { workers: count, processors });
  return { workers: { count, program: context.program.file, args: [command, ...args] } };
}

/** The number of this worker, if the process is one. */
export function workerNumber({ environment }: CommandContext): number | undefined {
  const text = environment[WORKER_VARIABLE];
  return text === undefined ? undefined : Number(text);
}

/**
 * A worker stops when the main process asks it to, and ignores signals that a terminal or a systemd unit sends to all
 * processes.
 */
export function leaveStoppingToMain(context: CommandContext): Disposable | undefined {
  return context.onStopSignal?.(() => undefined);
}
