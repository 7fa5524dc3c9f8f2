import { writeFile } from 'node:fs/promises';
import { CryptoRandom, messageOf, parseDuration, RealClock } from '../../base/index.ts';
import {
  configuredScheduler,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
  schedulerConfigurationText,
  SchedulerProgram,
} from '../../cluster/index.ts';
import { Outages } from '../../client/index.ts';
import type { LeaderElectionOptions } from '../../kit/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { schedulerApartFlags } from '../upstream/program-flags.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream/verdict.ts';
import { connectionFlags, findServer, programClient, type ServerWish } from './connection-flags.ts';
import { electionFlags } from './election-flags.ts';
import { durationFlag, fileFlag } from './file-flag.ts';
import { logOf } from './server-flags.ts';
import { servingFlags, servingSettings } from './serving-flags.ts';

const PORT = 10_259;
const PROGRAM = 'kube-scheduler';
const DEFAULTS = JSON.stringify({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
});

/** What is obeyed. */
export const schedulerDefinitions: FlagDefinitions = {
  config: {
    type: 'string',
    value: 'FILE',
    help: 'A KubeSchedulerConfiguration; then of other flags only those of leader election count beside it',
  },
  'write-config-to': { type: 'string', value: 'FILE', help: 'Write the configuration with all defaults, and end' },
  ...connectionFlags,
  'kube-api-qps': {
    type: 'string',
    value: 'RATE',
    help: 'Requests a second at most; below 0 for as many as there are (50)',
  },
  'kube-api-burst': { type: 'string', value: 'N', help: 'Requests at once, above --kube-api-qps (100)' },
  'pod-max-in-unschedulable-pods-duration': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'A pod that nothing happens for is tried again after so long',
  },
  ...electionFlags(PROGRAM),
  ...servingFlags(PORT),
  'logging-format': { type: 'string', value: 'FORMAT', default: 'text', help: 'text or json' },
  v: { type: 'string', value: 'N', default: '0', help: 'How much is logged; 4 and more tell of single steps' },
};

/** `keelson scheduler`: the scheduler alone, on any API server. */
export const schedulerCommand: Command = {
  usage: `Usage: keelson scheduler [--config FILE] [--kubeconfig FILE] [FLAGS]\n\n${describeFlags(schedulerDefinitions)}`,
  async run(args, context) {
    const flags = new Flags(args, withUpstreamFlags(schedulerDefinitions, schedulerApartFlags));
    checkUpstreamFlags(flags, schedulerDefinitions, schedulerApartFlags);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const [clock, random] = [new RealClock(), new CryptoRandom()];
    const log = logOf(flags, context.printError, 'info');
    const configuration = effective(flags);
    const scheduler = configuredScheduler(configuration, { clock });
    const written = flags.text('write-config-to');
    if (written !== undefined) return await writeFile(written, schedulerConfigurationText(configuration));
    const serving = servingSettings(flags);
    const way = await findServer(wish(configuration, flags), context.environment);
    const outages = new Outages({ clock, log, server: way.connection.server });
    await using client = programClient(way, { clock, random, outages, userAgent: PROGRAM });
    const program = new SchedulerProgram(client, {
      random,
      scheduler: { ...scheduler, maxUnschedulableMs: durationFlag(flags, 'pod-max-in-unschedulable-pods-duration') },
      election: election(configuration),
      ...(serving === undefined ? {} : { serving }),
    });
    context.print(`working on ${way.connection.server}`);
    await program.run(context.signal);
  },
};

/** The file, if there is one, with what flags say instead. */
function effective(flags: Flags): SchedulerConfiguration {
  const text = fileFlag(flags, 'config');
  const read = readSchedulerConfiguration(text ?? DEFAULTS);
  const { leaderElection } = read;
  const given = (flag: string, otherwise: string): string =>
    flags.has(flag) ? (flags.text(flag) ?? otherwise) : otherwise;
  const own = {
    leaderElect: flags.has('leader-elect') ? flags.isSet('leader-elect') : leaderElection.leaderElect,
    leaseDuration: given('leader-elect-lease-duration', leaderElection.leaseDuration),
    renewDeadline: given('leader-elect-renew-deadline', leaderElection.renewDeadline),
    retryPeriod: given('leader-elect-retry-period', leaderElection.retryPeriod),
    resourceLock: given('leader-elect-resource-lock', leaderElection.resourceLock),
    resourceName: given('leader-elect-resource-name', leaderElection.resourceName),
    resourceNamespace: given('leader-elect-resource-namespace', leaderElection.resourceNamespace),
  };
  for (const flag of ['lease-duration', 'renew-deadline', 'retry-period']) durationFlag(flags, `leader-elect-${flag}`); // fails for what is none
  const clientConnection = text === undefined ? connectionOf(flags, read) : read.clientConnection;
  return { ...read, leaderElection: own, clientConnection };
}

function connectionOf(
  flags: Flags,
  { clientConnection }: SchedulerConfiguration,
): SchedulerConfiguration['clientConnection'] {
  const { kubeconfig, qps, burst } = clientConnection;
  const rate = flags.text('kube-api-qps');
  if (rate !== undefined && !/^-?[0-9.]+$/.test(rate))
    throw new UsageError(`--kube-api-qps must be a number, got "${rate}"`);
  return {
    ...clientConnection,
    kubeconfig: flags.text('kubeconfig') ?? kubeconfig,
    qps: rate === undefined ? qps : Number(rate),
    burst: flags.integer('kube-api-burst', { min: 0, max: 1_000_000 }) ?? burst,
  };
}

function wish({ clientConnection: { kubeconfig, qps, burst } }: SchedulerConfiguration, flags: Flags): ServerWish {
  return {
    kubeconfig: kubeconfig === '' ? undefined : kubeconfig,
    server: flags.text('master'),
    pace: qps > 0 ? { perSecond: qps, burst: Math.max(1, burst) } : undefined,
  };
}

function election({ leaderElection }: SchedulerConfiguration): LeaderElectionOptions | false {
  const { leaderElect, leaseDuration, renewDeadline, retryPeriod, resourceName, resourceNamespace } = leaderElection;
  if (!leaderElect) return false;
  const [leaseDurationMs, renewDeadlineMs, retryPeriodMs] = [leaseDuration, renewDeadline, retryPeriod].map(
    milliseconds,
  );
  return {
    name: resourceName,
    namespace: resourceNamespace,
    leaseDuration: leaseDurationMs,
    renewDeadline: renewDeadlineMs,
    retryPeriod: retryPeriodMs,
  };
}

function milliseconds(text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}
