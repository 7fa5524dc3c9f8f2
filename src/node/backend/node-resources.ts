import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { LinuxContainerResources } from '../runtime/index.ts';
import type { Refusal } from './node-devices.ts';

/** Limits of a cgroup. What is undefined is left as it is. */
export interface CgroupLimits {
  readonly cpuShares?: number;
  /** In microseconds of each period; -1 for no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  /** In bytes; -1 for no limit. */
  readonly memory?: number;
  readonly pids?: number;
  /** A list of processors: `0-3,8`. */
  readonly cpus?: string;
  /** Bytes by page size in bytes; page sizes that are not listed are limited to 0. Undefined to leave all as they are. */
  readonly hugePages?: ReadonlyMap<number, number>;
  /** Files of cgroup v2 by name. */
  readonly unified?: Readonly<Record<string, string>>;
}

/** Small texts that survive a restart of the agent. */
export interface Checkpoints {
  /** Undefined when none was written. */
  read(name: string): Promise<string | undefined>;
  /** Replaces the text in one step. */
  write(name: string, text: string): Promise<void>;
}

/** Memory of one kind: `memory`, `hugepages-2Mi`. */
export interface GivenMemory {
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** The NUMA nodes that it is on. */
  readonly nodes: readonly number[];
}

/** Processors and memory of the machine that are for one container alone. */
export interface GivenResources {
  readonly cpus: readonly number[];
  readonly memory: readonly GivenMemory[];
}

export const NOTHING_GIVEN: GivenResources = { cpus: [], memory: [] };

/** What a machine does with the resources that its pods were allocated. Pods given here have their allocated resources in their specs. */
export interface NodeResources {
  /** Undefined for machines whose pods are rebuilt from the API after a restart. */
  readonly checkpoints: Checkpoints | undefined;
  /** Assigns processors and memory of the machine to a new pod, or rejects the pod. */
  admit(pod: Observed<Pod>): Promise<Refusal | undefined>;
  /** Why a guaranteed pod cannot be resized on this machine; undefined when it can. */
  refuseResize(pod: Observed<Pod>, changed: { readonly cpu: boolean; readonly memory: boolean }): string | undefined;
  /** Called for each admitted pod, also after a restart of the agent, and when its allocation has changed. */
  allocated(pod: Observed<Pod>): Promise<void>;
  /** Sets the limits of a pod before its sandbox is created. */
  prepare(pod: Observed<Pod>): Promise<void>;
  /** Completes the resources of a container with what the machine has assigned to it. */
  assigned(pod: Observed<Pod>, container: ContainerSpec, resources: LinuxContainerResources): LinuxContainerResources;
  /** What a container has for itself. */
  given(podUid: string, container: string): GivenResources;
  /** What containers can be given for themselves, in use or not. */
  givable(): GivenResources;
  /** The limits that are in force for a pod; undefined where pods have none. */
  limits(pod: Observed<Pod>): Promise<CgroupLimits | undefined>;
  setLimits(pod: Observed<Pod>, limits: CgroupLimits): Promise<void>;
  /** Memory that a pod uses at this moment, in bytes; undefined where that is not measured. */
  memoryUsage(pod: Observed<Pod>): Promise<number | undefined>;
  /** The pod has ended: others may have what it was allocated. */
  released(podUid: string): Promise<void>;
  /** Removes the limits of a pod whose containers are gone. */
  remove(podUid: string): Promise<void>;
  /** The uids of pods whose limits were not removed yet, also those of an earlier run of the agent. */
  leftovers(): Promise<readonly string[]>;
}

/** For machines that limit nothing and keep no checkpoints. */
export const UNLIMITED: NodeResources = {
  checkpoints: undefined,
  admit: async () => undefined,
  refuseResize: () => undefined,
  allocated: async () => undefined,
  prepare: async () => undefined,
  assigned: (_pod, _container, resources) => resources,
  given: () => NOTHING_GIVEN,
  givable: () => NOTHING_GIVEN,
  limits: async () => undefined,
  setLimits: async () => undefined,
  memoryUsage: async () => undefined,
  released: async () => undefined,
  remove: async () => undefined,
  leftovers: async () => [],
};
