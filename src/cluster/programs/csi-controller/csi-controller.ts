import type { Clock, Logger, Random, Runnable } from '../../../base/index.ts';
import { runTogether } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import type { CapacitySettings } from '../../../controllers/volume-sidecars/index.ts';
import { CsiControllers, type CsiControllerSettings } from '../../../csi/index.ts';
import { HealthServer, type LeaderElectionOptions, type Part } from '../../../kit/index.ts';
import { listenAddress } from '../dns/dns-settings.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ProgramBody, StandaloneProgram, StandaloneTools } from '../program.ts';
import { durationFlag } from '../read-flags.ts';
import { capacityOwner, type Ownership } from './capacity-owner.ts';
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
const NEVER = new Set(['CrossNamespaceVolumeDataSource']);

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
  const { env: environment } = process;
  const settings = settingsOf(flags, environment);
  const ownership = ownershipOf(flags, settings, environment);
  const election = electionOf(flags);
  const endpoint = flags.text('http-endpoint') ?? '';
  const health = endpoint === '' ? undefined : listenAddress('http-endpoint', endpoint);
  return {
    election: false,
    async run({ client, clock, random, log }: Tools, signal) {
      const owner = settings.capacity === undefined ? undefined : await capacityOwner(client, ownership, signal);
      const capacity = owner === undefined ? {} : { capacity: { ...settings.capacity, owner } as CapacitySettings };
      const options = { addresses, settings: { ...settings, ...capacity }, election, clock, random, log };
      const controllers = new CsiControllers(client, options);
      print(`working for the CSI drivers at ${addresses.join(' and ')}`);
      const tasks: Runnable[] = [controllers];
      if (health !== undefined) tasks.push(new HealthServer(health, controllers));
      await runTogether(tasks, signal);
    },
  };
}

/** What is to own the objects that say what drivers have free. */
function ownershipOf(
  flags: FlagValues,
  { nodeName }: CsiControllerSettings,
  { POD_NAME: pod = '', NAMESPACE: namespace = '' }: NodeJS.ProcessEnv,
): Ownership {
  const level = flags.text('capacity-ownerref-level');
  if (level !== undefined && !/^(-1|\d+)$/.test(level))
    throw new FlagError(`--capacity-ownerref-level must be -1 or more, got "${level}"`);
  if (level === '-1') return { type: 'nothing' };
  if (pod !== '' && namespace !== '') return { type: 'pod', pod, namespace, level: Number(level ?? 1) };
  if (level !== undefined && flags.isSet('enable-capacity'))
    throw new FlagError('--capacity-ownerref-level needs POD_NAME and NAMESPACE in the environment');
  return nodeName === undefined ? { type: 'nothing' } : { type: 'node', nodeName };
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

/** The node that the flags have the process work for; undefined for all. */
function nodeNameOf(flags: FlagValues, environment: NodeJS.ProcessEnv): string | undefined {
  if (!flags.isSet('node-deployment')) {
    if (flags.has('node-name')) throw new FlagError('--node-name needs --node-deployment');
    return undefined;
  }
  const name = flags.text('node-name') ?? environment['NODE_NAME'] ?? '';
  if (name === '')
    throw new FlagError('--node-deployment needs the name of the node: NODE_NAME in the environment, or --node-name');
  return name;
}

function nodeSettings(
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
): Pick<CsiControllerSettings, 'nodeName' | 'nodeBinding' | 'distributesSnapshots'> {
  const nodeName = nodeNameOf(flags, environment);
  const distributed = flags.isSet('enable-distributed-snapshotting') ? { distributesSnapshots: true } : {};
  if (nodeName === undefined) return distributed;
  const [baseDelayMs, maxDelayMs] = [
    durationFlag(flags, 'node-deployment-base-delay'),
    durationFlag(flags, 'node-deployment-max-delay'),
  ];
  if (baseDelayMs > maxDelayMs)
    throw new FlagError('--node-deployment-base-delay must not be greater than --node-deployment-max-delay');
  const isForImmediateBinding = flags.isSet('node-deployment-immediate-binding');
  return { nodeName, nodeBinding: { isForImmediateBinding, baseDelayMs, maxDelayMs }, ...distributed };
}

function settingsOf(flags: FlagValues, environment: NodeJS.ProcessEnv): CsiControllerSettings {
  const [initialDelay, maxDelay] = [
    durationFlag(flags, 'retry-interval-start'),
    durationFlag(flags, 'retry-interval-max'),
  ];
  if (initialDelay > maxDelay)
    throw new FlagError('--retry-interval-start must not be greater than --retry-interval-max');
  const uuidLength = (flag: string): number | undefined =>
    flags.text(flag) === '-1' ? undefined : flags.integer(flag, { min: 1, max: 32 });
  const [volumeUuid, snapshotUuid, groupUuid] = ['volume', 'snapshot', 'groupsnapshot'].map((what) =>
    uuidLength(`${what}-name-uuid-length`),
  );
  const [prefix = '', snapshotPrefix = '', groupPrefix = ''] = ['volume', 'snapshot', 'groupsnapshot'].map((what) =>
    flags.text(`${what}-name-prefix`),
  );
  if (prefix === '') throw new FlagError('--volume-name-prefix must not be empty');
  const features = featuresOf(flags.list('feature-gates'));
  const node = nodeSettings(flags, environment);
  if (node.nodeName !== undefined && features.hasSnapshotGroups)
    throw new FlagError('--node-deployment: CSIVolumeGroupSnapshot needs a process that works for all nodes');
  if (features.hasSnapshotGroups && groupPrefix === '')
    throw new FlagError('--groupsnapshot-name-prefix must not be empty');
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
    groupSnapshotNamePrefix: groupPrefix,
    ...(groupUuid === undefined ? {} : { groupSnapshotNameUuidLength: groupUuid }),
    ...(fsType === '' ? {} : { defaultFsType: fsType }),
    extraCreateMetadata: flags.isSet('extra-create-metadata'),
    extraModifyMetadata: flags.isSet('extra-modify-metadata'),
    strictTopology: flags.isSet('strict-topology'),
    immediateTopology: flags.isSet('immediate-topology'),
    controllerPublishReadOnly: flags.isSet('controller-publish-readonly'),
    preventVolumeModeConversion: flags.isSet('prevent-volume-mode-conversion'),
    handlesVolumesInUse: flags.isSet('handle-volume-inuse-error'),
    reconcileSyncMs: durationFlag(flags, 'reconcile-sync'),
    ...features,
    ...node,
    installsSnapshotKinds: flags.isSet('install-snapshot-crds'),
    bindsSnapshots: flags.isSet('snapshot-controller'),
    ...(flags.isSet('enable-capacity')
      ? {
          capacity: {
            namespace:
              (flags.has('capacity-namespace') ? undefined : environment['NAMESPACE']) ??
              flags.text('capacity-namespace') ??
              '',
            pollMs: durationFlag(flags, 'capacity-poll-interval'),
            isForImmediateBinding: flags.isSet('capacity-for-immediate-binding'),
          },
        }
      : {}),
  };
}

/** What the features of the sidecars turn on and off. Others can only be asked for as they are. */
function featuresOf(
  gates: readonly string[],
): Required<Pick<CsiControllerSettings, 'hasTopology' | 'hasSnapshotGroups'>> {
  let [hasTopology, hasSnapshotGroups] = [true, false];
  for (const gate of gates) {
    const [, name = '', value] = /^(\w+)=(true|false)$/.exec(gate) ?? [];
    if (value === undefined) throw new FlagError(`--feature-gates must be NAME=true or NAME=false, got "${gate}"`);
    if (name === 'Topology') hasTopology = value === 'true';
    else if (name === 'CSIVolumeGroupSnapshot') hasSnapshotGroups = value === 'true';
    else if (ALWAYS.has(name)) {
      if (value === 'false') throw new FlagError(`--feature-gates: ${name} cannot be turned off`);
    } else if (NEVER.has(name)) {
      if (value === 'true') throw new FlagError(`--feature-gates: ${name} is not supported`);
    } else throw new FlagError(`--feature-gates: no sidecar has a feature ${name}`);
  }
  return { hasTopology, hasSnapshotGroups };
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
