import { writeFile } from 'node:fs/promises';
import { messageOf, parseDuration } from '../../../base/index.ts';
import type { LeaderElectionOptions } from '../../../kit/index.ts';
import {
  configuredScheduler,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
  schedulerConfigurationText,
} from '../../../scheduler/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ServerChoice, StandaloneProgram, StandaloneTools } from '../program.ts';
import { durationFlag, fileFlag } from '../read-flags.ts';
import { SchedulerProgram } from './scheduler-program.ts';

const DEFAULTS = JSON.stringify({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
});

/** `keelson scheduler`. */
export async function standaloneScheduler(
  flags: FlagValues,
  { clock, random }: StandaloneTools,
): Promise<StandaloneProgram | undefined> {
  const configuration = effective(flags);
  const scheduler = configuredScheduler(configuration, { clock });
  const written = flags.text('write-config-to');
  if (written !== undefined) {
    await writeFile(written, schedulerConfigurationText(configuration));
    return undefined;
  }
  const maxUnschedulableTime = durationFlag(flags, 'pod-max-in-unschedulable-pods-duration');
  return {
    server: serverChoice(configuration, flags),
    election: election(configuration),
    run: ({ client, election: chosen, serving }, signal) =>
      new SchedulerProgram(client, {
        random,
        scheduler: { ...scheduler, maxUnschedulableTime },
        election: chosen,
        ...(serving === undefined ? {} : { serving }),
      }).run(signal),
  };
}

/** The file, if there is one, with what flags say instead. */
function effective(flags: FlagValues): SchedulerConfiguration {
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
  flags: FlagValues,
  { clientConnection }: SchedulerConfiguration,
): SchedulerConfiguration['clientConnection'] {
  const { kubeconfig, qps, burst } = clientConnection;
  const rate = flags.text('kube-api-qps');
  if (rate !== undefined && !/^-?[0-9.]+$/.test(rate))
    throw new FlagError(`--kube-api-qps must be a number, got "${rate}"`);
  return {
    ...clientConnection,
    kubeconfig: flags.text('kubeconfig') ?? kubeconfig,
    qps: rate === undefined ? qps : Number(rate),
    burst: flags.integer('kube-api-burst', { min: 0, max: 1_000_000 }) ?? burst,
  };
}

function serverChoice(
  { clientConnection: { kubeconfig, qps, burst } }: SchedulerConfiguration,
  flags: FlagValues,
): ServerChoice {
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
    throw new FlagError(messageOf(cause), { cause });
  }
}
