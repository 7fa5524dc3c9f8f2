import { mkdir } from 'node:fs/promises';
import { CriCalls, CriImages, runtimeCgroupDriver, runtimeVersion } from '../cri/index.ts';
import {
  FileLogs,
  isRuntimeNotFound,
  NetworkActions,
  NO_DEVICES,
  type NodeBackend,
  type OpenNodeBackend,
  RuntimeError,
  RuntimeUsage,
} from '../node/index.ts';
import { openPodCgroups } from './cgroups/pod-cgroups.ts';
import { LinuxRuntime } from './linux-runtime.ts';
import { ContainerLogFiles } from './logs/container-log-files.ts';
import { LogRotation, type LogRotationOptions } from './logs/log-rotation.ts';
import { LinuxMachine, type LinuxMachineOptions } from './machine/linux-machine.ts';
import { Mounts } from './mounts.ts';
import { LinuxMeter } from './pressure/linux-meter.ts';
import { DiskPodFiles } from './pod-files.ts';
import { ApiVolumes } from './volumes/api-volumes.ts';
import { EmptyDirs } from './volumes/empty-dirs.ts';
import { HostPaths } from './volumes/host-paths.ts';

export interface LinuxBackendOptions extends Omit<LinuxMachineOptions, 'cgroupDriver'> {
  /** The runtime's socket: `unix:///run/containerd/containerd.sock`. */
  readonly runtimeEndpoint: string;
  /** Used where the runtime does not say which driver it uses; default cgroupfs. */
  readonly cgroupDriver?: 'cgroupfs' | 'systemd';
  readonly logRotation?: LogRotationOptions;
  /** Folder of the links to the logs of all containers; default `/var/log/containers`. */
  readonly containerLogs?: string;
}

/** How often containers are listed beside following events, and how often runtime and machine are checked. */
const RELIST_MS = 60_000;
const CHECK_MS = 10_000;
const CONTAINER_LOGS = '/var/log/containers';

/** A node on this machine: containers of a runtime behind a socket, volumes on its disk, limits in its cgroups. Needs root. */
export function linuxBackend(options: LinuxBackendOptions): OpenNodeBackend {
  return async (node, { clock, random, log }): Promise<NodeBackend> => {
    const { folders, runtimeEndpoint } = options;
    await mkdir(folders.root, { recursive: true, mode: 0o750 });
    await mkdir(folders.podLogs, { recursive: true, mode: 0o755 });
    const calls = new CriCalls({ endpoint: runtimeEndpoint, clock, random, log });
    try {
      const { runtimeName } = await runtimeVersion(calls);
      const cgroupDriver = (await runtimeCgroupDriver(calls)) ?? options.cgroupDriver ?? 'cgroupfs';
      const machine = await LinuxMachine.measure({ ...options, cgroupDriver });
      const cgroups = await openPodCgroups(cgroupDriver, log);
      const logFiles = new ContainerLogFiles(options.containerLogs ?? CONTAINER_LOGS);
      await logFiles.prepare();
      const runtime = new LinuxRuntime(runtimeName, calls, { cgroups, logs: logFiles });
      const images = new CriImages(calls);
      const mounts = new Mounts();
      const parts = { root: folders.root, mounts, clock, random };
      const isRunning = async (id: string): Promise<boolean> => {
        try {
          return (await runtime.containerStatus(id)).state === 'CONTAINER_RUNNING';
        } catch (error) {
          if (isRuntimeNotFound(error)) return false;
          if (error instanceof RuntimeError && error.reason === 'Unavailable') return true; // containers run on without it
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
        files: new DiskPodFiles({ folders, mounts, cgroups, logs: logFiles }),
        devices: NO_DEVICES,
        logs: new FileLogs(clock, isRunning),
        actions: new NetworkActions(runtime, clock),
        usage: new RuntimeUsage(runtime),
        polling: { relistEveryMs: RELIST_MS, checkEveryMs: CHECK_MS },
        meter: new LinuxMeter({ runtime, images, folders, cgroupDriver, clock }),
        tasks: [new LogRotation(options.logRotation ?? {}, { runtime, clock, log })],
        podUpdated: () => undefined,
        [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
      };
    } catch (error) {
      await calls[Symbol.asyncDispose]();
      throw error;
    }
  };
}
