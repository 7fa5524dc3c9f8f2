import type { LeaderElectionOptions } from '../../kit/index.ts';
import { UsageError } from '../command.ts';
import { durationFlag } from '../../cluster/programs/index.ts';
import { type FlagDefinitions, type Flags, grouped } from '../flags.ts';

/** How fast another process takes over, under upstream's names. */
export const electionTimeFlags: FlagDefinitions = grouped('Leader election', {
  'leader-elect-lease-duration': {
    type: 'string',
    value: 'DURATION',
    default: '15s',
    help: 'Others take over a lease that was not renewed for this long',
  },
  'leader-elect-renew-deadline': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    help: 'The leader steps down after failing to renew the lease for this long',
  },
  'leader-elect-retry-period': { type: 'string', value: 'DURATION', default: '2s', help: 'Time between attempts' },
});

/** Flags of programs with leader election, under upstream's names. */
export function electionFlags(program: string): FlagDefinitions {
  return grouped('Leader election', {
    'leader-elect': { type: 'boolean', default: true, help: 'Work only while no other process does' },
    ...electionTimeFlags,
    'leader-elect-resource-lock': {
      type: 'string',
      value: 'KIND',
      default: 'leases',
      help: 'Only leases are supported',
    },
    'leader-elect-resource-name': { type: 'string', value: 'NAME', default: program, help: 'Name of the lease' },
    'leader-elect-resource-namespace': {
      type: 'string',
      value: 'NAME',
      default: 'kube-system',
      help: 'Namespace of the lease',
    },
  });
}

/** The settings according to the flags. */
export function electionSettings(flags: Flags): LeaderElectionOptions | false {
  if (!flags.isSet('leader-elect')) return false;
  if (flags.text('leader-elect-resource-lock') !== 'leases')
    throw new UsageError('--leader-elect-resource-lock must be "leases"');
  const name = flags.text('leader-elect-resource-name');
  const namespace = flags.text('leader-elect-resource-namespace');
  return {
    ...electionTiming(flags),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

type Timing = Required<Pick<LeaderElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>>;

/** The times according to `electionTimeFlags`. */
export function electionTiming(flags: Flags): Timing {
  const leaseDurationMs = durationFlag(flags, 'leader-elect-lease-duration');
  const renewDeadlineMs = durationFlag(flags, 'leader-elect-renew-deadline');
  const retryPeriodMs = durationFlag(flags, 'leader-elect-retry-period');
  if (leaseDurationMs < 1000) throw new UsageError('--leader-elect-lease-duration must be a second at least');
  if (leaseDurationMs <= renewDeadlineMs)
    throw new UsageError('--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline');
  if (renewDeadlineMs <= 1.2 * retryPeriodMs)
    throw new UsageError('--leader-elect-renew-deadline must be greater than 1.2 times --leader-elect-retry-period');
  return { leaseDuration: leaseDurationMs, renewDeadline: renewDeadlineMs, retryPeriod: retryPeriodMs };
}
