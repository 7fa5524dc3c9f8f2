import { isIpv4, parseCidr } from '../../../api/index.ts';
import { parseDuration } from '../../../base/index.ts';
import type { ControllerSettings } from '../../../controllers/index.ts';
import { DRIVER_FOLDER, flexAttacher } from '../../../flexvolume/controller/index.ts';
import { type FlagDefinitions, FlagError, type FlagValues, grouped } from '../flag.ts';

/** How many objects each of these controllers works on at once, and the default. */
const CONCURRENCY: Readonly<Record<string, readonly [controller: string, usual: number]>> = {
  'concurrent-cron-job-syncs': ['cronjob-controller', 5],
  'concurrent-daemonset-syncs': ['daemonset-controller', 2],
  'concurrent-deployment-syncs': ['deployment-controller', 5],
  'concurrent-device-taint-eviction-syncs': ['device-taint-eviction-controller', 8],
  'concurrent-endpoint-syncs': ['endpoints-controller', 5],
  'concurrent-ephemeralvolume-syncs': ['ephemeral-volume-controller', 5],
  'concurrent-gc-syncs': ['garbage-collector-controller', 20],
  'concurrent-horizontal-pod-autoscaler-syncs': ['horizontal-pod-autoscaler-controller', 5],
  'concurrent-job-syncs': ['job-controller', 5],
  'concurrent-namespace-syncs': ['namespace-controller', 10],
  'concurrent-rc-syncs': ['replicationcontroller-controller', 5],
  'concurrent-replicaset-syncs': ['replicaset-controller', 5],
  'concurrent-resource-quota-syncs': ['resourcequota-controller', 5],
  'concurrent-resourceclaim-syncs': ['resourceclaim-controller', 50],
  'concurrent-service-endpoint-syncs': ['endpointslice-controller', 5],
  'concurrent-service-syncs': ['service-lb-controller', 1],
  'concurrent-serviceaccount-token-syncs': ['serviceaccount-token-controller', 5],
  'concurrent-statefulset-syncs': ['statefulset-controller', 5],
  'concurrent-ttl-after-finished-syncs': ['ttl-after-finished-controller', 5],
  'concurrent-validating-admission-policy-status-syncs': ['validatingadmissionpolicy-status-controller', 5],
  'mirroring-concurrent-service-endpoint-syncs': ['endpointslice-mirroring-controller', 5],
};

/** Flags of kube-controller-manager that controllers obey; the controllers know the defaults. */
export const controllerFlags: FlagDefinitions = grouped('Controllers', {
  'node-monitor-period': { type: 'string', value: 'DURATION', help: 'How often nodes are looked at (default 5s)' },
  'node-monitor-grace-period': {
    type: 'string',
    value: 'DURATION',
    help: 'A node that is silent for this long is lost (default 50s)',
  },
  'node-startup-grace-period': {
    type: 'string',
    value: 'DURATION',
    help: 'The same for a node that is new (default 1m)',
  },
  'node-eviction-rate': { type: 'string', value: 'RATE', help: 'Nodes a second whose pods are evicted (default 0.1)' },
  'secondary-node-eviction-rate': {
    type: 'string',
    value: 'RATE',
    help: 'The same in a large zone that is in trouble (default 0.01)',
  },
  'large-cluster-size-threshold': { type: 'string', value: 'N', help: 'A zone of more nodes is large (default 50)' },
  'unhealthy-zone-threshold': {
    type: 'string',
    value: 'SHARE',
    help: 'Share of unhealthy nodes above which a zone is in trouble (default 0.55)',
  },
  'resource-quota-sync-period': {
    type: 'string',
    value: 'DURATION',
    help: 'How often quotas are counted again (default 5m)',
  },
  'pvclaimbinder-sync-period': {
    type: 'string',
    value: 'DURATION',
    help: 'How often claims without volumes are looked at again (default 15s)',
  },
  'disable-force-detach-on-timeout': {
    type: 'boolean',
    default: false,
    help: 'Leave volumes attached to lost nodes until the nodes release them, instead of detaching after 6 minutes',
  },
  'flex-volume-plugin-dir': {
    type: 'string',
    value: 'DIR',
    default: DRIVER_FOLDER,
    help: 'Folder of FlexVolume drivers that attach volumes; empty for none',
  },
  'pv-recycler-minimum-timeout-hostpath': {
    type: 'string',
    value: 'SECONDS',
    help: 'Minimum time to recycle a path (default 60)',
  },
  'pv-recycler-timeout-increment-hostpath': {
    type: 'string',
    value: 'SECONDS',
    help: 'Additional time for each GiB (default 30)',
  },
  'pv-recycler-minimum-timeout-nfs': {
    type: 'string',
    value: 'SECONDS',
    help: 'Minimum time to recycle a share (default 300)',
  },
  'pv-recycler-increment-timeout-nfs': {
    type: 'string',
    value: 'SECONDS',
    help: 'Additional time for each GiB (default 30)',
  },
  'enable-dynamic-provisioning': { type: 'boolean', default: true, help: 'Ask provisioners for volumes of claims' },
  'horizontal-pod-autoscaler-sync-period': {
    type: 'string',
    value: 'DURATION',
    help: 'How often each HorizontalPodAutoscaler is looked at (default 15s)',
  },
  'horizontal-pod-autoscaler-tolerance': {
    type: 'string',
    value: 'SHARE',
    help: 'Deviation from the target that is tolerated before scaling (default 0.1)',
  },
  'horizontal-pod-autoscaler-downscale-stabilization': {
    type: 'string',
    value: 'DURATION',
    help: 'Nothing is scaled down for this long after a higher recommendation (default 5m)',
  },
  'horizontal-pod-autoscaler-cpu-initialization-period': {
    type: 'string',
    value: 'DURATION',
    help: 'CPU use of pods may be ignored for this long after their start (default 5m)',
  },
  'horizontal-pod-autoscaler-initial-readiness-delay': {
    type: 'string',
    value: 'DURATION',
    help: 'A pod that turns unready this soon after its start counts as never ready (default 30s)',
  },
  'cluster-signing-duration': {
    type: 'string',
    value: 'DURATION',
    help: 'Longest life of certificates that are signed for requests (default 8760h)',
  },
  'legacy-service-account-token-clean-up-period': {
    type: 'string',
    value: 'DURATION',
    help: 'Tokens in Secrets unused for this long are marked, and later deleted (default 8760h)',
  },
  'allocate-node-cidrs': { type: 'boolean', default: false, help: 'Give each node a network for its pods' },
  'cluster-cidr': { type: 'string', multiple: true, value: 'CIDR,…', help: 'The networks that those are taken from' },
  'node-cidr-mask-size': {
    type: 'string',
    value: 'BITS',
    help: 'Size of those networks (default 24 for IPv4, 64 for IPv6)',
  },
  'node-cidr-mask-size-ipv4': { type: 'string', value: 'BITS', help: 'Size of the IPv4 networks (default 24)' },
  'node-cidr-mask-size-ipv6': { type: 'string', value: 'BITS', help: 'Size of the IPv6 networks (default 64)' },
  'terminated-pod-gc-threshold': { type: 'string', value: 'N', help: 'Terminated pods that are kept (default 12500)' },
  ...Object.fromEntries(
    Object.entries(CONCURRENCY).map(([flag, [controller, usual]]) => [
      flag,
      { type: 'string', value: 'N', help: `Objects that the ${controller} works on at once (default ${usual})` },
    ]),
  ),
});

const SECONDS = { min: 1, max: 1_000_000 };

/** What these flags say, as far as they are given. */
export function controllerSettings(flags: FlagValues): ControllerSettings {
  const settings = {
    nodeMonitorPeriod: milliseconds(flags, 'node-monitor-period'),
    nodeMonitorGracePeriod: milliseconds(flags, 'node-monitor-grace-period'),
    nodeStartupGracePeriod: milliseconds(flags, 'node-startup-grace-period'),
    evictionRate: fraction(flags, 'node-eviction-rate', 1000),
    secondaryEvictionRate: fraction(flags, 'secondary-node-eviction-rate', 1000),
    largeClusterSizeThreshold: flags.integer('large-cluster-size-threshold', { min: 0, max: 1_000_000 }),
    unhealthyZoneThreshold: fraction(flags, 'unhealthy-zone-threshold', 1),
    resourceQuotaSyncPeriod: milliseconds(flags, 'resource-quota-sync-period'),
    claimBinderSyncPeriod: milliseconds(flags, 'pvclaimbinder-sync-period'),
    disableForceDetachOnTimeout: flags.isSet('disable-force-detach-on-timeout') ? true : undefined,
    recyclerHostPathSeconds: flags.integer('pv-recycler-minimum-timeout-hostpath', SECONDS),
    recyclerHostPathSecondsPerGibibyte: flags.integer('pv-recycler-timeout-increment-hostpath', SECONDS),
    recyclerNfsSeconds: flags.integer('pv-recycler-minimum-timeout-nfs', SECONDS),
    recyclerNfsSecondsPerGibibyte: flags.integer('pv-recycler-increment-timeout-nfs', SECONDS),
    enableDynamicProvisioning: flags.isSet('enable-dynamic-provisioning') ? undefined : false,
    autoscalerSyncPeriod: milliseconds(flags, 'horizontal-pod-autoscaler-sync-period'),
    autoscalerTolerance: fraction(flags, 'horizontal-pod-autoscaler-tolerance', 1000),
    downscaleStabilization: milliseconds(flags, 'horizontal-pod-autoscaler-downscale-stabilization', {
      canBeZero: true,
    }),
    cpuInitializationPeriod: milliseconds(flags, 'horizontal-pod-autoscaler-cpu-initialization-period', {
      canBeZero: true,
    }),
    initialReadinessDelay: milliseconds(flags, 'horizontal-pod-autoscaler-initial-readiness-delay', {
      canBeZero: true,
    }),
    clusterSigningDuration: milliseconds(flags, 'cluster-signing-duration'),
    tokenCleanUpPeriod: milliseconds(flags, 'legacy-service-account-token-clean-up-period'),
    ...nodeNetworks(flags),
    concurrency: concurrency(flags),
    terminatedPodThreshold: flags.integer('terminated-pod-gc-threshold', { min: 0, max: 10_000_000 }),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** FlexVolume drivers, which are looked for when a pod uses one. */
export function flexSettings(flags: FlagValues): Pick<ControllerSettings, 'directAttacher'> {
  const folder = flags.text('flex-volume-plugin-dir') ?? '';
  return folder === '' ? {} : { directAttacher: flexAttacher(folder) };
}

function concurrency(flags: FlagValues): Readonly<Record<string, number>> | undefined {
  const given = Object.entries(CONCURRENCY).flatMap(([flag, [controller]]) => {
    const count = flags.integer(flag, { min: 1, max: 1000 });
    return count === undefined ? [] : [[controller, count] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The networks that nodes get; none by default. */
function nodeNetworks(
  flags: FlagValues,
): Partial<Pick<ControllerSettings, 'clusterCidrs' | 'nodeCidrMaskSizes' | 'serviceCidrs'>> {
  if (!flags.isSet('allocate-node-cidrs')) return {};
  const clusterCidrs = flags.list('cluster-cidr');
  const families = clusterCidrs.map((cidr) => {
    const prefix = parseCidr(cidr);
    if (prefix === undefined) throw new FlagError(`--cluster-cidr: "${cidr}" is no CIDR`);
    return { length: prefix.length, family: isIpv4(prefix.address) ? ('ipv4' as const) : ('ipv6' as const) };
  });
  if (families.length === 0) throw new FlagError('--cluster-cidr must be given with --allocate-node-cidrs');
  const isDual = families.length === 2 && families[0]?.family !== families[1]?.family;
  if (families.length > 1 && !isDual) throw new FlagError('--cluster-cidr must be one network, or one of each family');
  if (isDual && flags.has('node-cidr-mask-size'))
    throw new FlagError('--node-cidr-mask-size cannot be used with two networks; say it for each family');
  const nodeCidrMaskSizes = families.map(({ family, length }) => {
    const bits = family === 'ipv4' ? 32 : 128;
    const given = flags.integer(`node-cidr-mask-size-${family}`, { min: 1, max: bits });
    const size = given ?? flags.integer('node-cidr-mask-size', { min: 1, max: bits }) ?? (bits === 32 ? 24 : 64);
    if (size < length)
      throw new FlagError(`--node-cidr-mask-size: a network of ${size} bits does not fit into --cluster-cidr`);
    return size;
  });
  return { clusterCidrs, nodeCidrMaskSizes, serviceCidrs: flags.list('service-cluster-ip-range') };
}

function milliseconds(
  flags: FlagValues,
  name: string,
  options: { readonly canBeZero?: boolean } = {},
): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  try {
    const ms = parseDuration(text);
    if (ms > 0 || (ms === 0 && options.canBeZero === true)) return ms;
  } catch {
    // reported below
  }
  throw new FlagError(`--${name} must be a duration such as 5s or 1m, got "${text}"`);
}

function fraction(flags: FlagValues, name: string, max: number): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^[0-9.]+$/.test(text) && value >= 0 && value <= max) return value;
  throw new FlagError(`--${name} must be a number from 0 to ${max}, got "${text}"`);
}
