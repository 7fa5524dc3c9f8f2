import type { Clock, Logger, Random } from '../../base/index.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import type { ActionExecutor, ContainerLogs, ImageService, NodeUsage, RuntimeService } from '../runtime/index.ts';
import type { Machine } from './machine.ts';
import type { NodeDevices } from './node-devices.ts';
import type { NodeSettings } from './node-settings.ts';
import type { VolumeFile, VolumePlugin } from './volume-plugin.ts';

/** How far what a backend tells by itself can be trusted. */
export interface BackendPolling {
  /** How often containers are listed beside the runtime's events; undefined where events cannot be lost. */
  readonly relistEveryMs: number | undefined;
  /** How often runtime and machine are asked for their health; undefined where the backend calls `BackendContext.changed`. */
  readonly checkEveryMs: number | undefined;
}

/** Files that the agent itself keeps for pods, below `folders.root`. */
export interface PodFiles {
  /** Writes a file. `content` is called now, or when the file is read by backends that have no disk. */
  write(path: string, content: () => Promise<string>): Promise<void>;
  /** The last `maxBytes` of a file; undefined when it is not there. */
  read(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Removes all files of a pod. */
  removePod(podUid: string): Promise<void>;
}

/** Measures what a node and its containers use. */
export interface UsageSource {
  read(pods: readonly Observed<Pod>[], node: Observed<Node> | undefined): Promise<NodeUsage>;
}

/**
 * Everything the agent needs from the machine it runs on. The composition root opens one for each node.
 *
 * Disposing stops no container: it lets go of what watches over them.
 */
export interface NodeBackend extends AsyncDisposable {
  readonly machine: Machine;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** The first one that supports a volume mounts it. */
  readonly volumes: readonly VolumePlugin[];
  readonly files: PodFiles;
  readonly devices: NodeDevices;
  readonly logs: ContainerLogs;
  /** Probes and lifecycle hooks. */
  readonly actions: ActionExecutor;
  readonly usage: UsageSource;
  readonly polling: BackendPolling;
  /**
   * Called with a pod whenever it has changed, before the agent looks at its containers.
   *
   * Backends that keep nothing across restarts of the process rebuild what ran from the pod's status. A RuntimeError becomes an event
   * of the pod, and the pod goes on as before.
   */
  podUpdated(pod: Observed<Pod>): void;
}

/** What a path of a container shows. */
export interface PodContent {
  /** By their paths below the one asked for; empty for the file itself. */
  readonly files: readonly VolumeFile[];
  /** The path is a part of a volume: it keeps the content that it had when it was first mounted. */
  readonly isFixed: boolean;
}

/** What a backend is given when it is opened. */
export interface BackendContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The machine's health, its devices or its capacity have changed: the node reports. */
  changed(): void;
  /** What the agent has at a path below `folders.root`, computed now; for backends that write nothing to a disk. */
  content(path: string): Promise<PodContent | undefined>;
}

/** Opening may take time: a socket is dialled, a machine is measured. A backend that cannot be opened yet throws, and is tried again. */
export type OpenNodeBackend = (node: NodeSettings, context: BackendContext) => Promise<NodeBackend>;
