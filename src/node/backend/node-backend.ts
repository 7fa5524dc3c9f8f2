import type { Clock, Duration, Logger, Random, Runnable } from '../../base/index.ts';
import type { Client, Node, Observed, Pod } from '../../client/index.ts';
import type {
  ActionExecutor,
  CgroupFigures,
  ContainerLogs,
  ImageService,
  NodeUsage,
  RuntimeService,
} from '../runtime/index.ts';
import type { NodeMeter } from '../eviction/index.ts';
import type { Machine } from './machine.ts';
import type { BackendMetrics } from './metric-family.ts';
import type { NodeDevices } from './node-devices.ts';
import type { NodeResources } from './node-resources.ts';
import type { NodeSettings } from './node-settings.ts';
import type { VolumeFile, VolumePlugin } from './volume-plugin.ts';

/** How often the agent polls, for backends whose notifications can get lost. */
export interface BackendPolling {
  /** Interval at which the agent lists containers in addition to following events; undefined where events cannot be lost. */
  readonly relistEvery: Duration | undefined;
  /** Interval at which the agent checks the health of runtime and machine; undefined where the backend calls `BackendContext.changed`. */
  readonly checkEvery: Duration | undefined;
}

/** One of the checks behind `/healthz`. */
export interface HealthCheck {
  /** Such as `device-plugin`. */
  readonly name: string;
  /** What is wrong; undefined when nothing is. */
  problem(): string | undefined;
}

/** The files that the agent keeps for pods, below `folders.root`. */
export interface PodFiles {
  /** Writes a file. A backend without a disk calls `content` when the file is read, others call it now. */
  write(path: string, content: () => Promise<string>): Promise<void>;
  /**
   * The last `maxBytes` of a file; undefined when the file does not exist. With `within`, the file is one of a pod's volume: a backend with
   * a disk throws when there is no file, or when links lead out of that folder.
   */
  read(path: string, maxBytes: number, options?: { readonly within: string }): Promise<Uint8Array | undefined>;
  /** Removes all files of a pod. */
  removePod(podUid: string): Promise<void>;
  /** The uids of all pods that have files, including those of earlier runs of the agent; none for backends without a disk. */
  pods(): Promise<readonly string[]>;
}

/** Measures what a node and its containers use. */
export interface UsageSource {
  read(pods: readonly Observed<Pod>[], node: Observed<Node> | undefined): Promise<NodeUsage>;
}

export interface ReadCgroupOptions {
  readonly nowMs: number;
  /** Whose network is measured: that of the processes in the cgroup, that of the machine, or none. */
  readonly network: 'own' | 'machine' | 'none';
}

/** Reads what the kernel counts of cgroups, by their paths below the mount point: `/kubepods/burstable`. */
export interface CgroupSource {
  readonly processors: { readonly physicalCores: number; readonly sockets: number };
  /** The names of the cgroups directly below; none where there is no such cgroup. */
  children(path: string): Promise<readonly string[]>;
  /** Undefined where there is no such cgroup. */
  read(path: string, options: ReadCgroupOptions): Promise<CgroupFigures | undefined>;
}

/**
 * Everything the agent needs from the machine it runs on. The composition root opens one for each node.
 *
 * Disposing closes connections and watches. Containers keep running.
 */
export interface NodeBackend extends AsyncDisposable {
  readonly machine: Machine;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** The first one that supports a volume mounts it. */
  readonly volumes: readonly VolumePlugin[];
  readonly files: PodFiles;
  readonly devices: NodeDevices;
  readonly resources: NodeResources;
  readonly logs: ContainerLogs;
  /** Probes and lifecycle hooks. */
  readonly actions: ActionExecutor;
  readonly usage: UsageSource;
  /** Undefined for a backend whose containers are in no cgroups: their metrics are then made of `usage`. */
  readonly cgroups?: CgroupSource;
  /** What evictions are decided by; undefined for a backend that runs out of nothing. */
  readonly meter: NodeMeter | undefined;
  readonly polling: BackendPolling;
  /** Work beside that of the agent, such as rotating logs. The agent runs it as long as it runs itself. */
  readonly tasks: readonly Runnable[];
  /** Checks of the backend behind `/healthz` of the node's port; default none. */
  readonly healthChecks?: readonly HealthCheck[];
  /** What the backend counts by itself; default nothing. */
  readonly metrics?: BackendMetrics;
  /**
   * The agent calls this with each new version of a pod, before it looks at the pod's containers.
   *
   * Backends that keep nothing across restarts of the process rebuild what ran from the pod's status. A RuntimeError becomes an event
   * of the pod; the pod is then processed as usual.
   */
  podUpdated(pod: Observed<Pod>): void;
}

/** The content at a path of a container. */
export interface PodContent {
  /** Paths are relative to the requested path; the path is empty when that is itself a file. */
  readonly files: readonly VolumeFile[];
  /** True for a `subPath`, which keeps the content that it had when it was first mounted. */
  readonly isFixed: boolean;
}

/** What a backend is given when it is opened. */
export interface BackendContext {
  /** The client of the agent, for drivers that read objects of the cluster. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Notifies the agent that health, devices or capacity of the machine have changed. The node then reports its status. */
  changed(): void;
  /** Notifies the agent that devices of a pod have changed. The agent then reports the status of the pod. */
  podChanged(uid: string): void;
  /** Computes the content at a path below `folders.root`; for backends that write nothing to a disk. */
  content(path: string): Promise<PodContent | undefined>;
}

/** Opens a backend, which may take time (dialling a socket, measuring a machine). When this throws, the node tries again later. */
export type OpenNodeBackend = (node: NodeSettings, context: BackendContext) => Promise<NodeBackend>;

/** Mounts the volumes of drivers that are not part of a backend. Disposing leaves volumes mounted. */
export interface VolumeDrivers extends AsyncDisposable {
  /** The folder of this machine that all their volumes are below. */
  readonly root: string;
  readonly plugins: readonly VolumePlugin[];
  readonly tasks: readonly Runnable[];
}

/** Opens the volume drivers of a node. */
export type OpenVolumeDrivers = (node: NodeSettings, context: BackendContext) => Promise<VolumeDrivers>;
