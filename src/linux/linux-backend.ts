import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openCsiNode } from '../csi/index.ts';
import { runtimeCgroupDriver, runtimeVersion } from '../cri/index.ts';
import type { Clock, Logger } from '../base/index.ts';
import {
  DEVICE_PLUGINS,
  DevicePlugins,
  draDevices,
  DraDrivers,
  nodeSlices,
  pluginDevices,
  withPluginMetrics,
} from '../devices/index.ts';
import { amountsOf } from '../api/meaning/index.ts';
import {
  allocatableOf,
  FileLogs,
  isRuntimeNotFound,
  type Machine,
  NetworkActions,
  type NodeBackend,
  type OpenNodeBackend,
  type ResourceRules,
  RuntimeError,
} from '../node/index.ts';
import { type AssignmentOptions, DEFAULT_ASSIGNMENT_OPTIONS } from './assignment/assignment-options.ts';
import { CpuReconciler } from './assignment/cpu-reconciler.ts';
import { ResourceAssigner } from './assignment/resource-assigner.ts';
import { reservedResources } from './machine/reserved-resources.ts';
import { type CgroupOptions, checkCgroupOptions, DEFAULT_CGROUP_OPTIONS } from './cgroups/cgroup-options.ts';
import type { CgroupTree } from './cgroups/cgroup-tree.ts';
import { NodeCgroups } from './cgroups/node-cgroups.ts';
import { canLimitSwap, openCgroups } from './cgroups/open-cgroups.ts';
import { LinuxNodeResources } from './linux-node-resources.ts';
import { LinuxRuntime } from './linux-runtime.ts';
import { ContainerLogFiles } from './logs/container-log-files.ts';
import { LogRotation, type LogRotationOptions } from './logs/log-rotation.ts';
import { LinuxMachine, type LinuxMachineOptions } from './machine/linux-machine.ts';
import { DRIVER_FOLDER, DriverFolder } from '../flexvolume/index.ts';
import { DiskCheckpoints, Mounts, SmallShell } from '../system/index.ts';
import { PluginWatcher } from '../plugins/index.ts';
import { LinuxMeter } from './pressure/linux-meter.ts';
import { DiskPodFiles } from './pod-files.ts';
import { LinuxUsage } from './stats/linux-usage.ts';
import { MeteredCalls, MeteredImages, RuntimeMetrics } from './stats/runtime-metrics.ts';
import { driverMachine, linuxVolumes } from './volumes/index.ts';

export interface LinuxBackendOptions extends Omit<
  LinuxMachineOptions,
  'cgroupDriver' | 'resourceRules' | 'podCgroups'
> {
  /** The runtime's socket: `unix:///run/containerd/containerd.sock`. */
  readonly runtimeEndpoint: string;
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
    const { client, clock, random, log, changed, podChanged } = context;
    const { folders, runtimeEndpoint } = options;
    await mkdir(folders.root, { recursive: true, mode: 0o750 });
    await mkdir(folders.podLogs, { recursive: true, mode: 0o755 });
    const metrics = new RuntimeMetrics();
    const calls = new MeteredCalls({ endpoint: runtimeEndpoint, clock, random, log }, metrics);
    const shell = new SmallShell(clock);
    let devicePlugins: DevicePlugins | undefined;
    try {
      const { runtimeName } = await runtimeVersion(calls);
      const asked = await runtimeCgroupDriver(calls);
      const cgroupOptions = { ...DEFAULT_CGROUP_OPTIONS, ...reservedOf(options), ...options.cgroups };
      const cgroupDriver = asked ?? cgroupOptions.cgroupDriver;
      const measured = await LinuxMachine.measure({ ...options, cgroupDriver });
      const { machine, cgroups } = await limitPods(measured, { ...cgroupOptions, cgroupDriver }, { clock, log, shell });
      const logFiles = new ContainerLogFiles(options.containerLogs ?? CONTAINER_LOGS);
      await logFiles.prepare();
      const runtime = new LinuxRuntime(runtimeName, calls, logFiles);
      const images = new MeteredImages(calls, metrics, clock);
      const checkpoints = new DiskCheckpoints(folders.root);
      const assignment = { ...DEFAULT_ASSIGNMENT_OPTIONS, ...options.assignment };
      const { topology } = measured;
      const reserved = reservedResources(measured.capacity, options, { isEvictionCounted: true });
      const pluginFolder = join(folders.root, DEVICE_PLUGINS);
      devicePlugins = await DevicePlugins.open({
        ...{ folder: pluginFolder, checkpoints: new DiskCheckpoints(pluginFolder) },
        ...{ numaNodes: topology.numaNodes.map(({ id }) => id), clock, random, log, changed, podChanged },
      });
      const devices = devicePlugins;
      const removeSlices = nodeSlices(client, node.name);
      const drivers = await DraDrivers.open({ checkpoints, removeSlices, clock, random, log });
      const assigner = await ResourceAssigner.open({
        ...{ options: assignment, topology, reserved, checkpoints, providers: [devices] },
      });
      const reconciler = new CpuReconciler({
        runtime,
        clock,
        log,
        retryMs: assignment.cpuManagerReconcilePeriodMs,
        cpusOf: (uid, name) => assigner.cpusOf(uid, name),
      });
      const cpusChanged = (): void => void reconciler.reconcile();
      if (assignment.cpuManagerPolicy === 'static') cpusChanged(); // an earlier run may not have updated all
      const resources = new LinuxNodeResources({ cgroups, assigner, checkpoints, cpusChanged });
      const mounts = new Mounts(shell);
      const flexDrivers = new DriverFolder(options.volumePluginDir ?? DRIVER_FOLDER, { clock, log });
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
      const csi = await openCsiNode(node.name, context, {
        root: folders.root,
        machine: driverMachine({ root: folders.root, mounts, log }),
      });
      const plugins = new PluginWatcher({
        ...{ clock, random, log },
        folder: join(folders.root, 'plugins_registry'),
        handlers: [csi.handler, drivers.handler, devices.handler],
      });
      log.info('node is opened', { node: node.name, runtime: runtimeName, cgroupDriver });
      return {
        machine,
        runtime,
        images,
        volumes: [
          ...linuxVolumes({
            root: folders.root,
            mounts,
            shell,
            clock,
            random,
            log,
            allocatableMemory,
            flexDrivers,
          }),
          csi.plugin,
        ],
        files: new DiskPodFiles({ folders, mounts, logs: logFiles }),
        devices: pluginDevices(devices, draDevices(drivers), { isAdmitting: false }),
        resources,
        logs: new FileLogs(clock, isRunning),
        actions: new NetworkActions(runtime, clock),
        usage: new LinuxUsage({ calls, images, folders, clock }),
        metrics: withPluginMetrics(metrics, devices),
        polling: { relistEveryMs: RELIST_MS, checkEveryMs: CHECK_MS },
        meter: new LinuxMeter({ runtime, images, folders, cgroupDriver }),
        tasks: [
          new LogRotation(options.logRotation ?? {}, { runtime, clock, log }),
          plugins,
          csi.task,
          drivers,
          flexDrivers,
        ],
        podUpdated: () => undefined,
        async [Symbol.asyncDispose]() {
          reconciler[Symbol.dispose]();
          await csi[Symbol.asyncDispose]();
          await devices[Symbol.asyncDispose]();
          await drivers[Symbol.asyncDispose]();
          shell[Symbol.dispose]();
          await calls[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await devicePlugins?.[Symbol.asyncDispose]();
      shell[Symbol.dispose]();
      await calls[Symbol.asyncDispose]();
      throw error;
    }
  };
}

function reservedOf({ systemReserved, kubeReserved }: LinuxBackendOptions): Partial<CgroupOptions> {
  return { systemReserved, kubeReserved };
}

/** Makes the cgroups above pods, and returns the machine with the rules by which pods are limited. */
async function limitPods(
  measured: LinuxMachine,
  options: CgroupOptions,
  { clock, log, shell }: { readonly clock: Clock; readonly log: Logger; readonly shell: SmallShell },
): Promise<{ readonly machine: Machine; readonly cgroups: NodeCgroups }> {
  checkCgroupOptions(options);
  const { pageSizes } = measured;
  const tree = await openCgroups({ driver: options.cgroupDriver, pageSizes, shell });
  const rules = await rulesOf(measured, options, tree);
  const capacity = { ...measured.capacity, pid: String(measured.maxProcesses) };
  const cgroups = new NodeCgroups({ tree, options, rules, capacity, pageSizes, clock, log });
  await cgroups.start();
  return { machine: measured.limited(rules, cgroups.place), cgroups };
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
