import type { Clock } from '../../../base/index.ts';
import type { Part } from '../../../kit/index.ts';
import {
  configuredScheduler,
  readSchedulerConfiguration,
  scheduler,
  type SchedulerOptions,
} from '../../../scheduler/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import { SCHEDULER, TRUSTED } from '../identities.ts';
import type { ComposedProgram, ProgramContext } from '../program.ts';
import { fileFlag, usable } from '../read-flags.ts';
import type { SchedulingOptions } from './options.ts';

/** The scheduler of a cluster, or the part that takes its place. */
export function schedulerInCluster({ plane, options }: ProgramContext<SchedulingOptions>): ComposedProgram {
  const { scheduler: chosen = true } = options;
  if (isPart(chosen)) return { identity: SCHEDULER, identityOf: () => TRUSTED, parts: [chosen] };
  const settings = typeof chosen === 'boolean' ? {} : chosen;
  return { identity: SCHEDULER, parts: [scheduler({ attempts: plane.attempts, ...settings })] };
}

function isPart(chosen: boolean | SchedulerOptions | Part): chosen is Part {
  return typeof chosen !== 'boolean' && 'prepare' in chosen;
}

/** What the flags of `keelson up` ask for. */
export function schedulingOf(flags: FlagValues, { clock }: { readonly clock: Clock }): SchedulingOptions {
  const text = fileFlag(flags, 'scheduler-config');
  if (!flags.isSet('scheduler') && text !== undefined)
    throw new FlagError('--scheduler=none runs no scheduler, so --scheduler-config makes no sense with it');
  if (text === undefined) return { scheduler: flags.isSet('scheduler') };
  return { scheduler: usable(() => configuredScheduler(readSchedulerConfiguration(text), { clock })) };
}
