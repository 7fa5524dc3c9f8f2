import { mkdir } from 'node:fs/promises';
import { runtimeCgroupDriver, runtimeVersion } from '../cri/index.ts';
import {
  FileLogs,
  isRuntimeNotFound,
  NetworkActions,
  NO_DEVICES,
  type NodeBackend,
  type OpenNodeBackend,
} from '../node/index.ts';
import { openPodCgroups } from './cgroups/pod-cgroups.ts';
import { LinuxRuntime } from './linux-runtime.ts';
import { LinuxMachine, type LinuxMachineOptions } from './machine/linux-machine.ts';
import { Mounts } from './mounts.ts';
import { DiskPodFiles } from './pod-files.ts';
import { LinuxUsage } from './stats/linux-usage.ts';
import { MeteredCalls, MeteredImages, RuntimeMetrics } from './stats/runtime-metrics.ts';
import { ApiVolumes } from './volumes/api-volumes.ts';
import { EmptyDirs } from './volumes/empty-dirs.ts';
import { HostPaths } from './volumes/host-paths.ts';

export interface LinuxBackendOptions extends Omit<LinuxMachineOptions, 'cgroupDriver'> {
  /** The runtime's socket: `unix:///run/containerd/containerd.sock`. */
  readonly runtimeEndpoint: string;
  /** Used where the runtime does not say which driver it uses; default cgroupfs. */
  readonly cgroupDriver?: 'cgroupfs' | 'systemd';
}

/** How often containers are listed beside following events, and how often runtime and machine are checked. */
const RELIST_MS = 60_000;
const CHECK_MS = 10_000;

/** A node on this machine: containers of a runtime behind a socket, volumes on its disk, limits in its cgroups. Needs root. */
export function linuxBackend(options: LinuxBackendOptions): OpenNodeBackend {
  return async (node, { clock, random, log }): Promise<NodeBackend> => {
    const { folders, runtimeEndpoint } = options;
    await mkdir(folders.root, { recursive: true, mode: 0o750 });
    await mkdir(folders.podLogs, { recursive: true, mode: 0o755 });
    const metrics = new RuntimeMetrics();
    const calls = new MeteredCalls({ endpoint: runtimeEndpoint, clock, random, log }, metrics);
    try {
      const { runtimeName } = await runtimeVersion(calls);
      const cgroupDriver = (await runtimeCgroupDriver(calls)) ?? options.cgroupDriver ?? 'cgroupfs';
      const machine = await LinuxMachine.measure({ ...options, cgroupDriver });
      const cgroups = await openPodCgroups(cgroupDriver, log);
      const runtime = new LinuxRuntime(runtimeName, calls, cgroups);
      const images = new MeteredImages(calls, metrics, clock);
      const mounts = new Mounts();
      const parts = { root: folders.root, mounts, clock, random };
      const isRunning = async (id: string): Promise<boolean> => {
        try {
          return (await runtime.containerStatus(id)).state === 'CONTAINER_RUNNING';
        } catch (error) {
          if (isRuntimeNotFound(error)) return false;
          throw error;
        }
      };
      log.info('node is opened', { node: node.name, runtime: runtimeName, cgroupDriver });
      return {
        machine,
        runtime,
        images,
        volumes: [
          new ApiVolumes('configMap', parts),
          new ApiVolumes('secret', parts),
          new ApiVolumes('projected', parts),
          new ApiVolumes('downwardAPI', parts),
          new EmptyDirs(parts),
          new HostPaths(),
        ],
        files: new DiskPodFiles({ folders, mounts, cgroups }),
        devices: NO_DEVICES,
        logs: new FileLogs(clock, isRunning),
        actions: new NetworkActions(runtime, clock),
        usage: new LinuxUsage({ calls, images, folders, clock }),
        metrics,
        polling: { relistEveryMs: RELIST_MS, checkEveryMs: CHECK_MS },
        podUpdated: () => undefined,
        [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
      };
    } catch (error) {
      await calls[Symbol.asyncDispose]();
      throw error;
    }
  };
}
