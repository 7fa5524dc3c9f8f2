import type { Clock, Logger, Random, Runnable } from '../../../base/index.ts';
import { runTogether } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import { CsiControllers, type CsiControllerSettings } from '../../../csi/index.ts';
import { HealthServer, type LeaderElectionOptions, type Part } from '../../../kit/index.ts';
import { listenAddress } from '../dns/dns-settings.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ProgramBody, StandaloneProgram, StandaloneTools } from '../program.ts';
import { durationFlag } from '../read-flags.ts';
import { type CsiControllerOptions, IDENTITY } from './options.ts';

const DEFAULT_ADDRESS = '/run/csi/socket';
/** Features of the sidecars that are always there. */
const ALWAYS = new Set([
  'HonorPVReclaimPolicy',
  'VolumeAttributesClass',
  'RecoverVolumeExpansionFailure',
  'AnnotateFsResize',
  'CSINodeExpandSecret',
  'MutableCSINodeAllocatableCount',
  'ReleaseLeaderElectionOnExit',
]);
/** Features of the sidecars that are not there. */
const NEVER = new Set(['CrossNamespaceVolumeDataSource', 'CSIVolumeGroupSnapshot']);

export const body: ProgramBody<CsiControllerOptions> = {
  readFlags: (flags) => ({ csiDrivers: addressesOf(flags) }),
  inCluster: ({ options }) => ({ identity: IDENTITY, parts: [clusterPart(options.csiDrivers ?? [])] }),
  standalone,
};

/** The controllers as a part of a cluster, which has no other process that could do the same. */
function clusterPart(addresses: readonly string[]): Part {
  return {
    name: 'csi-controller',
    prepare: ({ client, clock, random, log }) =>
      new CsiControllers(client, { addresses, settings: {}, clock, random, log }),
  };
}

/** `keelson csi-controller`. */
async function standalone(flags: FlagValues, { print }: StandaloneTools): Promise<StandaloneProgram> {
  const given = addressesOf(flags);
  const addresses = given.length === 0 ? [DEFAULT_ADDRESS] : given;
  const settings = settingsOf(flags);
  const election = electionOf(flags);
  const endpoint = flags.text('http-endpoint') ?? '';
  const health = endpoint === '' ? undefined : listenAddress('http-endpoint', endpoint);
  return {
    election: false,
    async run({ client, clock, random, log }: Tools, signal) {
      const controllers = new CsiControllers(client, { addresses, settings, election, clock, random, log });
      print(`working for the CSI drivers at ${addresses.join(' and ')}`);
      const tasks: Runnable[] = [controllers];
      if (health !== undefined) tasks.push(new HealthServer(health, controllers));
      await runTogether(tasks, signal);
    },
  };
}

interface Tools {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The sockets that the flags name. */
function addressesOf(flags: FlagValues): readonly string[] {
  const addresses = flags.list('csi-address').map((address) => address.replace(/^unix:(\/\/)?(?=\/)/, ''));
  const wrong = addresses.find((address) => !address.startsWith('/'));
  if (wrong !== undefined)
    throw new FlagError(`--csi-address must be the path of a socket such as /csi/csi.sock, got "${wrong}"`);
  const repeated = addresses.find((address, index) => addresses.indexOf(address) !== index);
  if (repeated !== undefined) throw new FlagError(`--csi-address names ${repeated} twice`);
  return addresses;
}

function settingsOf(flags: FlagValues): CsiControllerSettings {
  const [initialDelay, maxDelay] = [
    durationFlag(flags, 'retry-interval-start'),
    durationFlag(flags, 'retry-interval-max'),
  ];
  if (initialDelay > maxDelay)
    throw new FlagError('--retry-interval-start must not be greater than --retry-interval-max');
  const uuidLength = (flag: string): number | undefined =>
    flags.text(flag) === '-1' ? undefined : flags.integer(flag, { min: 1, max: 32 });
  const [volumeUuid, snapshotUuid] = [uuidLength('volume-name-uuid-length'), uuidLength('snapshot-name-uuid-length')];
  const [prefix, snapshotPrefix] = [flags.text('volume-name-prefix') ?? '', flags.text('snapshot-name-prefix') ?? ''];
  if (prefix === '') throw new FlagError('--volume-name-prefix must not be empty');
  const fsType = flags.text('default-fstype') ?? '';
  const workers = flags.integer('worker-threads', { min: 1, max: 10_000 });
  return {
    timeoutMs: durationFlag(flags, 'timeout'),
    ...(workers === undefined ? {} : { workers }),
    retries: { initialDelay, maxDelay },
    volumeNamePrefix: prefix,
    ...(volumeUuid === undefined ? {} : { volumeNameUuidLength: volumeUuid }),
    snapshotNamePrefix: snapshotPrefix,
    ...(snapshotUuid === undefined ? {} : { snapshotNameUuidLength: snapshotUuid }),
    ...(fsType === '' ? {} : { defaultFsType: fsType }),
    extraCreateMetadata: flags.isSet('extra-create-metadata'),
    extraModifyMetadata: flags.isSet('extra-modify-metadata'),
    strictTopology: flags.isSet('strict-topology'),
    immediateTopology: flags.isSet('immediate-topology'),
    controllerPublishReadOnly: flags.isSet('controller-publish-readonly'),
    preventVolumeModeConversion: flags.isSet('prevent-volume-mode-conversion'),
    handlesVolumesInUse: flags.isSet('handle-volume-inuse-error'),
    reconcileSyncMs: durationFlag(flags, 'reconcile-sync'),
    hasTopology: hasTopology(flags.list('feature-gates')),
    installsSnapshotKinds: flags.isSet('install-snapshot-crds'),
    bindsSnapshots: flags.isSet('snapshot-controller'),
    ...(flags.isSet('enable-capacity')
      ? {
          capacity: {
            namespace: flags.text('capacity-namespace') ?? '',
            pollMs: durationFlag(flags, 'capacity-poll-interval'),
            isForImmediateBinding: flags.isSet('capacity-for-immediate-binding'),
          },
        }
      : {}),
  };
}

/** Whether places of volumes matter. Other features can only be asked for as they are. */
function hasTopology(gates: readonly string[]): boolean {
  let topology = true;
  for (const gate of gates) {
    const [, name = '', value] = /^(\w+)=(true|false)$/.exec(gate) ?? [];
    if (value === undefined) throw new FlagError(`--feature-gates must be NAME=true or NAME=false, got "${gate}"`);
    if (name === 'Topology') topology = value === 'true';
    else if (ALWAYS.has(name)) {
      if (value === 'false') throw new FlagError(`--feature-gates: ${name} cannot be turned off`);
    } else if (NEVER.has(name)) {
      if (value === 'true') throw new FlagError(`--feature-gates: ${name} is not supported`);
    } else throw new FlagError(`--feature-gates: no sidecar has a feature ${name}`);
  }
  return topology;
}

function electionOf(flags: FlagValues): LeaderElectionOptions | false {
  if (!flags.isSet('leader-election')) return false;
  const [leaseDuration, renewDeadline, retryPeriod] = ['lease-duration', 'renew-deadline', 'retry-period'].map((time) =>
    durationFlag(flags, `leader-election-${time}`),
  );
  if (leaseDuration === undefined || renewDeadline === undefined || retryPeriod === undefined) return {};
  if (leaseDuration <= renewDeadline || renewDeadline <= 1.2 * retryPeriod)
    throw new FlagError(
      '--leader-election-lease-duration must be greater than --leader-election-renew-deadline, and that greater than 1.2 times --leader-election-retry-period',
    );
  const namespace = flags.text('leader-election-namespace') ?? 'kube-system';
  return { namespace, leaseDuration, renewDeadline, retryPeriod };
}
