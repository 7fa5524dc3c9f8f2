import { availableParallelism } from 'node:os';
import type { Logger } from '../../base/index.ts';
import { WORKER_VARIABLE, type WorkersOptions } from '../../cluster/alone.ts';
import { type CommandContext, UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';

/** More processes behind one port. */
export const workersFlags: FlagDefinitions = {
  workers: {
    type: 'string',
    value: 'N',
    default: '1',
    help: 'Processes that serve requests, on one port; from 2 on they are beside the one that has the store',
  },
};

const MOST_WORKERS = 64;

/** What is asked for; nothing for one process that does everything. */
export function workersSettings(
  flags: Flags,
  context: CommandContext,
  { command, args, log }: { readonly command: string; readonly args: readonly string[]; readonly log: Logger },
): { readonly workers?: WorkersOptions } {
  const count = flags.integer('workers', { min: 0, max: MOST_WORKERS }) ?? 1;
  if (count <= 1) return {};
  if (context.program === undefined)
    throw new UsageError('--workers is for servers in processes of their own, and this one runs inside another');
  const processors = availableParallelism();
  if (count > processors && workerNumber(context) === undefined)
    log.warn('there are more workers than processors', { workers: count, processors });
  return { workers: { count, program: context.program.file, args: [command, ...args] } };
}

/** Which worker of another process this one is, if it is one. */
export function workerNumber({ environment }: CommandContext): number | undefined {
  const text = environment[WORKER_VARIABLE];
  return text === undefined ? undefined : Number(text);
}

/** A worker stops when the main process says so: signals for all processes of a terminal or a unit are that one's business. */
export function leaveStoppingToMain(context: CommandContext): Disposable | undefined {
  return context.onStopSignal?.(() => undefined);
}
