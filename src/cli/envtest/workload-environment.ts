import type { WorkloadOptions } from '../../cluster/index.ts';
import { type CommandContext, UsageError } from '../command.ts';
import { chooseControllers } from './choose-controllers.ts';

/** The programs to run beside the API server according to the environment; undefined for none. */
export function workloadOf(environment: CommandContext['environment']): WorkloadOptions | undefined {
  const [controllers, scheduler, nodes] = ['KEELSON_CONTROLLERS', 'KEELSON_SCHEDULER', 'KEELSON_NODES'].map(
    (name) => environment[name] ?? '',
  );
  const count = nodesOf(nodes ?? '');
  const schedules = schedulerOf(scheduler ?? '');
  const isNone = controllers === undefined || ['', 'none', 'false'].includes(controllers);
  if (isNone && !schedules && count === 0) return undefined;
  return {
    controllers: isNone ? false : (builtIn) => chooseControllers(controllers === 'true' ? '*' : controllers, builtIn),
    scheduler: schedules,
    nodes: count,
  };
}

function schedulerOf(text: string): boolean {
  if (['', 'false', '0'].includes(text)) return false;
  if (['true', '1'].includes(text)) return true;
  throw new UsageError(`KEELSON_SCHEDULER must be true or false, got "${text}"`);
}

const MAX_NODES = 10_000;

function nodesOf(text: string): number {
  if (text === '') return 0;
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= MAX_NODES) return count;
  throw new UsageError(`KEELSON_NODES must be a whole number from 0 to ${MAX_NODES}, got "${text}"`);
}
