import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { amountsOf } from '../../../api/meaning/index.ts';
import type { AssignmentOptions } from '../../../assignment/index.ts';
import { type Clock, type Logger, parseDuration } from '../../../base/index.ts';
import type { Pace } from '../../../client/index.ts';
import {
  type CgroupOptions,
  DiskPullRecords,
  type Enforcement,
  type LinuxBackendOptions,
  LogindShutdown,
  machineCredentials,
} from '../../../linux/index.ts';
import type { ChangeDetection, CredentialPlugin, NodeBehavior, VerificationPolicy } from '../../../node/index.ts';
import { FlagError } from '../flag.ts';
import type { KubeletSettings } from './settings/kubelet-fields.ts';

/** The version of the kubelet whose work the agent does. */
export const KUBELET_VERSION = 'v1.36.3+keelson';

/** What the machine's backend is opened with. */
export function backendOptions(
  settings: KubeletSettings,
  {
    addresses,
    rootDir,
    isOwnMachine,
    runtimeCgroups = '',
  }: {
    readonly addresses: readonly string[];
    readonly rootDir: string;
    /** Whether the machine is there to be a node: then settings of its kernel are changed. */
    readonly isOwnMachine: boolean;
    /** Where the container runtime was started; default unknown. */
    readonly runtimeCgroups?: string | undefined;
  },
): LinuxBackendOptions {
  const { maxPods, podsPerCore } = settings;
  return {
    folders: { root: rootDir, podLogs: settings.podLogsDir },
    runtimeEndpoint: settings.containerRuntimeEndpoint,
    ...(settings.imageServiceEndpoint === '' ? {} : { imageEndpoint: settings.imageServiceEndpoint }),
    requestTimeoutMs: settings.runtimeRequestTimeout,
    checkEvery: settings.nodeStatusUpdateFrequency,
    kernelSettings: settings.protectKernelDefaults ? 'check' : isOwnMachine ? 'change' : 'leave',
    processes: { kubeletCgroups: settings.kubeletCgroups, systemCgroups: settings.systemCgroups },
    cgroups: cgroupOptions(settings),
    assignment: assignmentOptions(settings),
    logRotation: {
      maxBytes: bytesOf(settings.containerLogMaxSize),
      maxFiles: settings.containerLogMaxFiles,
      maxWorkers: settings.containerLogMaxWorkers,
      everyMs: settings.containerLogMonitorInterval,
    },
    addresses,
    clusterServers: settings.clusterDNS,
    clusterDomain: settings.clusterDomain,
    resolvConf: settings.resolvConf,
    maxPods,
    podsPerCore,
    systemReserved: settings.systemReserved,
    kubeReserved: settings.kubeReserved,
    evictionHard: settings.evictionHard,
    runtimeCgroups,
    volumePluginDir: settings.volumePluginDir,
    kubeletVersion: KUBELET_VERSION,
  };
}

function cgroupOptions(settings: KubeletSettings): Partial<CgroupOptions> {
  const { swapBehavior } = settings.memorySwap;
  return {
    cgroupDriver: settings.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
    cgroupRoot: settings.cgroupRoot,
    cgroupsPerQOS: settings.cgroupsPerQOS,
    enforceNodeAllocatable: settings.enforceNodeAllocatable.filter((each): each is Enforcement => each !== 'none'),
    systemReservedCgroup: settings.systemReservedCgroup,
    kubeReservedCgroup: settings.kubeReservedCgroup,
    podPidsLimit: settings.podPidsLimit,
    cpuCFSQuota: settings.cpuCFSQuota,
    cpuCFSQuotaPeriodMs: settings.cpuCFSQuotaPeriod,
    ...(settings.singleProcessOOMKill === undefined ? {} : { singleProcessOOMKill: settings.singleProcessOOMKill }),
    swapBehavior: swapBehavior === 'LimitedSwap' ? 'LimitedSwap' : 'NoSwap',
  };
}

function assignmentOptions(settings: KubeletSettings): Partial<AssignmentOptions> {
  return {
    cpuManagerPolicy: settings.cpuManagerPolicy === 'static' ? 'static' : 'none',
    cpuManagerPolicyOptions: settings.cpuManagerPolicyOptions,
    cpuManagerReconcilePeriodMs: settings.cpuManagerReconcilePeriod,
    reservedSystemCPUs: settings.reservedSystemCPUs,
    memoryManagerPolicy: settings.memoryManagerPolicy === 'Static' ? 'Static' : 'None',
    reservedMemory: settings.reservedMemory,
    topologyManagerPolicy: settings.topologyManagerPolicy as AssignmentOptions['topologyManagerPolicy'],
    topologyManagerScope: settings.topologyManagerScope === 'pod' ? 'pod' : 'container',
    topologyManagerPolicyOptions: settings.topologyManagerPolicyOptions,
  };
}

/** How fast events are written; undefined for no limit. */
export function eventPace({ eventRecordQPS, eventBurst }: KubeletSettings): Pace | undefined {
  return eventRecordQPS === 0 ? undefined : { perSecond: eventRecordQPS, burst: eventBurst };
}

/** What the agent of the machine uses besides its settings. */
export interface AgentSurroundings {
  readonly rootDir: string;
  readonly plugins?: readonly CredentialPlugin[];
  /** Whether the controller of a cloud completes the node; default false. */
  readonly hasExternalCloud?: boolean;
  /** The addresses of `--node-ip`; default none. */
  readonly nodeIps?: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the agent of the machine is started with, besides its backend. */
export async function agentOptions(
  settings: KubeletSettings,
  { rootDir, plugins = [], hasExternalCloud = false, nodeIps = [], clock, log }: AgentSurroundings,
): Promise<NodeBehavior> {
  const { podsOfManifest } = await import('../../../resources/core/pod-manifests.ts');
  const { idsPerPod } = settings.userNamespaces;
  return {
    staticPods: {
      read: podsOfManifest,
      ...(settings.staticPodPath === '' ? {} : { path: settings.staticPodPath }),
      ...(settings.staticPodURL === '' ? {} : { url: settings.staticPodURL }),
      urlHeaders: settings.staticPodURLHeader,
      fileCheckInterval: settings.fileCheckFrequency,
      httpCheckInterval: settings.httpCheckFrequency,
    },
    eviction: {
      evictionHard: settings.evictionHard,
      evictionSoft: settings.evictionSoft,
      evictionSoftGrace: Object.fromEntries(
        Object.entries(settings.evictionSoftGracePeriod).map(([signal, text]) => [signal, parseDuration(text)]),
      ),
      evictionMinimumReclaim: settings.evictionMinimumReclaim,
      enforcesAllocatable: settings.enforceNodeAllocatable.includes('pods'),
      transitionPeriod: settings.evictionPressureTransitionPeriod,
      maxPodGraceSeconds: settings.evictionMaxPodGracePeriod,
      enforcesStorageLimits: settings.localStorageCapacityIsolation,
    },
    images: {
      limits: {
        highPercent: settings.imageGCHighThresholdPercent,
        lowPercent: settings.imageGCLowThresholdPercent,
        minAge: settings.imageMinimumGCAge,
        maxAge: settings.imageMaximumGCAge,
      },
      verification: {
        policy: settings.imagePullCredentialsVerificationPolicy as VerificationPolicy,
        allowlist: settings.preloadedImagesVerificationAllowlist,
        records: new DiskPullRecords(rootDir),
      },
      plugins,
      ...(settings.registryPullQPS === 0
        ? {}
        : { pullRate: { perSecond: settings.registryPullQPS, burst: settings.registryBurst } }),
      machineCredentials: () => machineCredentials([rootDir, process.cwd(), join(homedir(), '.docker'), '/.docker']),
    },
    reporting: {
      registers: settings.registerNode,
      providerId: settings.providerID,
      hasExternalCloud,
      chosenAddresses: nodeIps.filter((address) => address !== '0.0.0.0' && address !== '::'),
      maxImages: settings.nodeStatusMaxImages,
      ...(settings.podCIDR === '' ? {} : { podRanges: settings.podCIDR.split(',') }),
      reportEvery: settings.nodeStatusReportFrequency,
      leaseDuration: settings.nodeLeaseDurationSeconds * 1000,
    },
    maxRestartDelay: settings.crashLoopBackOff.maxContainerRestartPeriod,
    seccompDefault: settings.seccompDefault,
    allowedUnsafeSysctls: settings.allowedUnsafeSysctls,
    changeDetection: changeDetectionOf(settings),
    shutdown: shutdownOptions(settings, { clock, log }),
    ...(idsPerPod === undefined
      ? {}
      : { userNamespaceIds: { first: idsPerPod, length: 2 ** 32 - idsPerPod, perPod: idsPerPod } }),
  };
}

/** Undefined where pods have no time to end when the machine shuts down. */
function shutdownOptions(
  settings: KubeletSettings,
  { clock, log }: Pick<AgentSurroundings, 'clock' | 'log'>,
): NodeBehavior['shutdown'] {
  const { shutdownGracePeriod: graceMs, shutdownGracePeriodCriticalPods: criticalGraceMs } = settings;
  const periods = settings.shutdownGracePeriodByPodPriority.map((period) => ({
    priority: period.priority,
    graceSeconds: period.shutdownGracePeriodSeconds,
  }));
  const neededMs = graceMs + periods.reduce((sum, { graceSeconds }) => sum + graceSeconds * 1000, 0);
  if (neededMs === 0) return undefined;
  const source = new LogindShutdown({ clock, log, neededMs });
  return periods.length > 0
    ? { source, periods }
    : { source, gracePeriod: graceMs, criticalGracePeriod: criticalGraceMs };
}

const STRATEGIES: readonly ChangeDetection[] = ['Get', 'Cache', 'Watch'];

function changeDetectionOf({ configMapAndSecretChangeDetectionStrategy: written }: KubeletSettings): ChangeDetection {
  const found = STRATEGIES.find((each) => each === written);
  if (found === undefined) throw new FlagError(`unknown configmap and secret manager mode: ${written}`);
  return found;
}

function bytesOf(text: string): number {
  return amountsOf({ size: text }).get('size')?.value() ?? 0;
}

/** Images that are pulled at once; without a limit, as many as the agent lets. */
export function parallelPulls({
  serializeImagePulls,
  maxParallelImagePulls = Infinity,
}: Pick<KubeletSettings, 'serializeImagePulls' | 'maxParallelImagePulls'>): number {
  return serializeImagePulls ? 1 : maxParallelImagePulls;
}

/** Why the machine cannot be a node as it is set up; undefined when it can. */
export async function machineProblem({
  failCgroupV1,
  failSwapOn,
}: Pick<KubeletSettings, 'failCgroupV1' | 'failSwapOn'>): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'a node with real containers needs root: it mounts volumes and makes cgroups';
  if (failCgroupV1 && !(await exists('/sys/fs/cgroup/cgroup.controllers')))
    return 'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release (failCgroupV1: false runs it all the same)';
  const swaps = await readFile('/proc/swaps', 'utf8').catch(() => '');
  if (failSwapOn && swaps.trim().split('\n').length > 1)
    return `running with swap on is not supported, please disable swap or set --fail-swap-on flag to false. /proc/swaps contained: ${JSON.stringify(swaps.trim().split('\n'))}`;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
