/** What a node may run out of, as KubeletConfigurations name it. */
export type EvictionSignal =
  | 'memory.available'
  | 'allocatableMemory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'containerfs.available'
  | 'containerfs.inodesFree'
  | 'pid.available';

export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

interface SignalFacts {
  readonly condition: PressureCondition;
  /** The resource that is reclaimed, as messages name it. */
  readonly resource: 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';
  /** The file system that it is about. */
  readonly filesystem?: 'nodefs' | 'imagefs' | 'containerfs';
}

export const SIGNALS: Readonly<Record<EvictionSignal, SignalFacts>> = {
  'memory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'allocatableMemory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'nodefs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage', filesystem: 'nodefs' },
  'nodefs.inodesFree': { condition: 'DiskPressure', resource: 'inodes', filesystem: 'nodefs' },
  'imagefs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage', filesystem: 'imagefs' },
  'imagefs.inodesFree': { condition: 'DiskPressure', resource: 'inodes', filesystem: 'imagefs' },
  'containerfs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage', filesystem: 'containerfs' },
  'containerfs.inodesFree': { condition: 'DiskPressure', resource: 'inodes', filesystem: 'containerfs' },
  'pid.available': { condition: 'PIDPressure', resource: 'pids' },
};

export function isSignal(name: string): name is EvictionSignal {
  return name in SIGNALS;
}

/** How much of something is left. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = ReadonlyMap<EvictionSignal, Observation>;

/** Bytes and files on a disk. */
export interface SpaceUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export interface ContainerMeasurement {
  readonly memoryBytes: number;
  /** The writable layer. */
  readonly rootfs: SpaceUsage;
  readonly logs: SpaceUsage;
}

/** What a pod uses. */
export interface PodMeasurement {
  readonly memoryBytes: number;
  readonly processes: number;
  /** By name. */
  readonly containers: ReadonlyMap<string, ContainerMeasurement>;
  /** Volumes of the type `emptyDir`, by name. */
  readonly volumes: ReadonlyMap<string, SpaceUsage & { readonly isInMemory: boolean }>;
}

export interface NodeMeasurement {
  readonly observations: Observations;
  /** By the uid of the pod; pods that were not measured are missing. */
  readonly pods: ReadonlyMap<string, PodMeasurement>;
  /** Whether images are on another file system than the agent's folder. */
  readonly hasImageFilesystem: boolean;
}
