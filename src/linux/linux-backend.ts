import { mkdir } from 'node:fs/promises';
import { runtimeCgroupDriver, runtimeVersion } from '../cri/index.ts';
import { type Clock, DisposeStack, type Duration, type Logger } from '../base/index.ts';
import { withDraMetrics, withPluginMetrics } from '../devices/index.ts';
import { amountsOf } from '../api/meaning/index.ts';
import {
  type AssignmentOptions,
  CpuReconciler,
  DEFAULT_ASSIGNMENT_OPTIONS,
  type MachineTopology,
  type Processor,
  ResourceAssigner,
} from '../assignment/index.ts';
import {
  allocatableOf,
  cgroupPath,
  FileLogs,
  isRuntimeNotFound,
  type Machine,
  NetworkActions,
  type BackendMetrics,
  type NodeBackend,
  type OpenNodeBackend,
  type ResourceRules,
  RuntimeError,
} from '../node/index.ts';
import { ensureKernelSettings, type KernelSettingsPolicy } from './machine/kernel-settings.ts';
import { reservedResources } from './machine/reserved-resources.ts';
import { type CgroupOptions, checkCgroupOptions, DEFAULT_CGROUP_OPTIONS } from './cgroups/cgroup-options.ts';
import type { CgroupTree } from './cgroups/cgroup-tree.ts';
import { moveProcesses, type ProcessPlaces } from './cgroups/move-processes.ts';
import { meteredTree } from './cgroups/metered-tree.ts';
import { NodeCgroups } from './cgroups/node-cgroups.ts';
import { canLimitSwap, openCgroups } from './cgroups/open-cgroups.ts';
import { openLinuxDrivers } from './linux-drivers.ts';
import { LinuxNodeResources } from './linux-node-resources.ts';
import { LinuxRuntime } from './linux-runtime.ts';
import { ContainerLogFiles } from './logs/container-log-files.ts';
import { LogRotation, type LogRotationOptions } from './logs/log-rotation.ts';
import { LinuxMachine, type LinuxMachineOptions } from './machine/linux-machine.ts';
import { DiskCheckpoints, Mounts, SmallShell } from '../system/index.ts';
import { LinuxMeter } from './pressure/linux-meter.ts';
import { DiskPodFiles } from './pod-files.ts';
import { CgroupFiles } from './stats/cgroup-figures.ts';
import { type MachineMetrics, machineMetrics } from './stats/machine-metrics.ts';
import { LinuxUsage } from './stats/linux-usage.ts';
import { SystemGroups } from './stats/system-groups.ts';
import { MeteredCalls, MeteredImages, RuntimeMetrics } from './stats/runtime-metrics.ts';
import { linuxVolumes } from './volumes/index.ts';

export interface LinuxBackendOptions extends Omit<
  LinuxMachineOptions,
  'cgroupDriver' | 'resourceRules' | 'podCgroups'
> {
  /** The runtime's socket: `unix:///run/containerd/containerd.sock`. */
  readonly runtimeEndpoint: string;
  /** The socket that serves images; default the runtime's. */
  readonly imageEndpoint?: string;
  /** How long a call of the runtime may take by default; default 2m. */
  readonly requestTimeoutMs?: number;
  /** How often runtime and machine are checked; default 10s. */
  readonly checkEvery?: Duration;
  /** What becomes of settings of the kernel that a kubelet wants; default `leave`. */
  readonly kernelSettings?: KernelSettingsPolicy;
  /** The cgroups of the agent and of the machine's processes; default those in which they were started. */
  readonly processes?: ProcessPlaces;
  /** The cgroup in which the container runtime was started, for figures; default unknown. */
  readonly runtimeCgroups?: string;
  /** How pods are limited; defaults as a kubelet's. The driver is used where the runtime does not say which one it uses. */
  readonly cgroups?: Partial<CgroupOptions>;
  /** How processors and memory are assigned to containers; defaults as a kubelet's. */
  readonly assignment?: Partial<AssignmentOptions>;
  readonly logRotation?: LogRotationOptions;
  /** Folder of the links to the logs of all containers; default `/var/log/containers`. */
  readonly containerLogs?: string;
  /** Folder of FlexVolume drivers; default the kubelet's. */
  readonly volumePluginDir?: string;
}

/** How often containers are listed beside following events, and how often runtime and machine are checked. */
const RELIST_MS = 60_000;
const CHECK_MS = 10_000;
const CONTAINER_LOGS = '/var/log/containers';

/** A node on this machine: containers of a runtime behind a socket, volumes on its disk, limits in its cgroups. Needs root. */
export function linuxBackend(options: LinuxBackendOptions): OpenNodeBackend {
  return async (node, context): Promise<NodeBackend> => {
    const { clock, random, log } = context;
    const { folders, runtimeEndpoint, requestTimeoutMs, imageEndpoint = runtimeEndpoint } = options;
    await ensureKernelSettings(options.kernelSettings ?? 'leave', options.hostRoot);
    await mkdir(folders.root, { recursive: true, mode: 0o750 });
    await mkdir(folders.podLogs, { recursive: true, mode: 0o755 });
    const metrics = new RuntimeMetrics();
    const machineFigures = machineMetrics();
    await using opened = new DisposeStack();
    const connect = (endpoint: string): MeteredCalls => {
      const timeout = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
      return opened.use(new MeteredCalls({ endpoint, clock, random, log, ...timeout }, metrics));
    };
    const calls = connect(runtimeEndpoint);
    const imageCalls = imageEndpoint === runtimeEndpoint ? calls : connect(imageEndpoint);
    const shell = opened.use(new SmallShell(clock));
    const { runtimeName } = await runtimeVersion(calls);
    const asked = await runtimeCgroupDriver(calls);
    const cgroupOptions = { ...DEFAULT_CGROUP_OPTIONS, ...reservedOf(options), ...options.cgroups };
    const cgroupDriver = asked ?? cgroupOptions.cgroupDriver;
    const measured = await LinuxMachine.measure({ ...options, cgroupDriver });
    const limits = { ...cgroupOptions, cgroupDriver };
    const { machine, cgroups, tree } = await limitPods(measured, limits, {
      clock,
      log,
      shell,
      metrics: machineFigures,
    });
    if (options.processes !== undefined) await moveProcesses(options.processes, { tree, log });
    const logFiles = new ContainerLogFiles(options.containerLogs ?? CONTAINER_LOGS);
    await logFiles.prepare();
    const runtime = new LinuxRuntime(runtimeName, calls, logFiles);
    const images = new MeteredImages(imageCalls, metrics, clock);
    const checkpoints = new DiskCheckpoints(folders.root);
    const assignment = { ...DEFAULT_ASSIGNMENT_OPTIONS, ...options.assignment };
    const { topology } = measured;
    const reserved = reservedResources(measured.capacity, options, { isEvictionCounted: true });
    const mounts = new Mounts(shell);
    const drivers = opened.use(
      await openLinuxDrivers(node.name, context, {
        ...{ root: folders.root, mounts, volumePluginDir: options.volumePluginDir },
        numaNodes: topology.numaNodes.map(({ id }) => id),
      }),
    );
    const { devicePlugins, flexDrivers } = drivers;
    const assigner = await ResourceAssigner.open({
      ...{ options: assignment, topology, reserved, checkpoints, providers: [devicePlugins], clock },
      metrics: machineFigures,
    });
    const reconciler = opened.use(
      new CpuReconciler({
        runtime,
        clock,
        log,
        retryMs: assignment.cpuManagerReconcilePeriodMs,
        cpusOf: (uid, name) => assigner.cpusOf(uid, name),
      }),
    );
    const cpusChanged = (): void => void reconciler.reconcile();
    if (assignment.cpuManagerPolicy === 'static') cpusChanged(); // an earlier run may not have updated all
    const resources = new LinuxNodeResources({ cgroups, assigner, checkpoints, cpusChanged });
    const allocatableMemory = (): number => {
      const [all, kept] = [amountsOf(machine.capacity), amountsOf(machine.reserved)];
      return (all.get('memory')?.value() ?? 0) - (kept.get('memory')?.value() ?? 0);
    };
    const isRunning = async (id: string): Promise<boolean> => {
      try {
        return (await runtime.containerStatus(id)).state === 'CONTAINER_RUNNING';
      } catch (error) {
        if (isRuntimeNotFound(error)) return false;
        if (error instanceof RuntimeError && error.reason === 'Unavailable') return true; // containers run on without it
        throw error;
      }
    };
    const volumeParts = { root: folders.root, mounts, shell, clock, random, log, allocatableMemory, flexDrivers };
    const cgroupFiles = new CgroupFiles({ version: cgroups.version, processors: processorsOf(topology) });
    await cgroupFiles.start();
    log.info('node is opened', { node: node.name, runtime: runtimeName, cgroupDriver });
    const own: BackendMetrics = {
      families: () => [...metrics.families(), ...machineFigures.families(), ...assigner.families()],
      pullMs: (uid) => metrics.pullMs(uid),
    };
    const groups = new SystemGroups(cgroupFiles, {
      pods: cgroupPath(cgroups.place.root, cgroupDriver),
      kubelet: options.processes?.kubeletCgroups ?? '',
      runtime: options.runtimeCgroups ?? '',
      misc: options.processes?.systemCgroups ?? '',
    });
    const owned = opened.move();
    return {
      machine,
      runtime,
      images,
      volumes: [...linuxVolumes(volumeParts), drivers.csiVolumes],
      files: new DiskPodFiles({ folders, mounts, logs: logFiles }),
      devices: drivers.devices,
      resources,
      logs: new FileLogs(clock, isRunning),
      actions: new NetworkActions(runtime, clock),
      usage: new LinuxUsage({ calls, images, folders, clock, groups }),
      cgroups: cgroupFiles,
      metrics: withDraMetrics(withPluginMetrics(own, devicePlugins), drivers.draDrivers),
      healthChecks: [devicePlugins.health],
      polling: { relistEvery: RELIST_MS, checkEvery: options.checkEvery ?? CHECK_MS },
      meter: new LinuxMeter({ runtime, images, folders, cgroupDriver, podCgroups: cgroups.place }),
      tasks: [new LogRotation(options.logRotation ?? {}, { runtime, clock, log }), ...drivers.tasks],
      podUpdated: () => undefined,
      [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
    };
  };
}

function reservedOf({ systemReserved, kubeReserved }: LinuxBackendOptions): Partial<CgroupOptions> {
  return { systemReserved, kubeReserved };
}

function processorsOf({ processors }: MachineTopology): { readonly physicalCores: number; readonly sockets: number } {
  const count = (of: (processor: Processor) => number): number => new Set(processors.map(of)).size;
  return { physicalCores: count(({ core }) => core), sockets: count(({ socket }) => socket) };
}

/** Makes the cgroups above pods, and returns the machine with the rules by which pods are limited. */
async function limitPods(
  measured: LinuxMachine,
  options: CgroupOptions,
  {
    clock,
    log,
    shell,
    metrics,
  }: { readonly clock: Clock; readonly log: Logger; readonly shell: SmallShell; readonly metrics: MachineMetrics },
): Promise<{ readonly machine: Machine; readonly cgroups: NodeCgroups; readonly tree: CgroupTree }> {
  checkCgroupOptions(options);
  const { pageSizes } = measured;
  const opened = await openCgroups({ driver: options.cgroupDriver, pageSizes, shell });
  const tree = meteredTree(opened, { clock, metrics });
  const rules = await rulesOf(measured, options, tree);
  const capacity = { ...measured.capacity, pid: String(measured.maxProcesses) };
  const cgroups = new NodeCgroups({ tree, options, rules, capacity, pageSizes, clock, log });
  await cgroups.start();
  return { machine: measured.limited(rules, cgroups.place), cgroups, tree };
}

async function rulesOf(machine: LinuxMachine, options: CgroupOptions, tree: CgroupTree): Promise<ResourceRules> {
  const { swapBehavior: behavior, memoryQoS } = options;
  const hasSwapLimits = await canLimitSwap(tree.version);
  const allocatableMemory = amountsOf(allocatableOf(machine)).get('memory')?.value() ?? 0;
  return {
    hasCpuQuota: options.cpuCFSQuota,
    cpuPeriodMicroseconds: options.cpuCFSQuotaPeriodMs * 1000,
    cgroupVersion: tree.version,
    killsWholeContainer: !options.singleProcessOOMKill,
    ...(hasSwapLimits ? { swap: { behavior, capacityBytes: machine.info.swapCapacity ?? 0 } } : {}),
    ...(memoryQoS === undefined ? {} : { memoryQuality: { ...memoryQoS, allocatableMemory } }),
  };
}
