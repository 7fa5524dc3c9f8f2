import { badRequest, notFound } from '../../api/client.ts';
import type { ClockCommand, ClockState, ClockStep } from '../protocol.ts';
import type { Endpoint } from './endpoint.ts';
import { readJsonBody } from './read-body.ts';

const ENDS = ['write', 'reconcile', 'minute'] as const;

/** `/keelson/clock`: the cluster's time, and commands to it. */
export const clock: Endpoint = async ({ method, request, settings }): Promise<ClockState | ClockStep> => {
  const { time } = settings;
  if (method === 'GET')
    return time?.now() ?? { isVirtual: false, isPaused: false, now: new Date(settings.clock.now()).toISOString() };
  if (time === undefined) throw notFound({ group: '', resource: 'clocks' }, 'virtual');
  const command = readCommand(await readJsonBody(request));
  if (command.action === 'step') return time.step(command.until);
  if (command.action === 'pause') await time.pause();
  else time.resume();
  return time.now();
};

function readCommand(value: unknown): ClockCommand {
  const { action, until } = (value ?? {}) as { readonly action?: unknown; readonly until?: unknown };
  if (action === 'pause' || action === 'resume') return { action };
  const end = ENDS.find((each) => each === until);
  if (action === 'step' && end !== undefined) return { action, until: end };
  throw badRequest(`the command must be pause, resume, or step until ${ENDS.join(', ')}`);
}
