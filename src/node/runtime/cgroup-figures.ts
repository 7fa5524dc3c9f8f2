// What the kernel counts of a cgroup and of the processes in it.
import type { Pressure } from './usage-details.ts';

/** Amounts since a cgroup was made, unless a member says that it is a current one. What is not counted is undefined. */
export interface CgroupFigures {
  readonly atMs: number;
  readonly createdAtMs: number;
  readonly cpu?: Partial<CgroupCpu>;
  readonly memory?: Partial<CgroupMemoryFigures>;
  readonly processes?: CgroupProcesses;
  readonly pressure?: { readonly cpu?: Pressure; readonly memory?: Pressure; readonly io?: Pressure };
  /** What was read from and written to devices. */
  readonly disks?: readonly DiskFigures[];
  /** Of the network that the processes are in; undefined for cgroups that share it with another one. */
  readonly interfaces?: readonly InterfaceFigures[];
  /** Of the whole machine only. */
  readonly filesystems?: readonly FilesystemFigures[];
}

export interface CgroupCpu {
  readonly totalSeconds: number;
  readonly userSeconds: number;
  readonly systemSeconds: number;
  readonly shares: number;
  readonly periodMicroseconds: number;
  /** In each period; 0 without a limit. */
  readonly quotaMicroseconds: number;
  readonly throttling: {
    readonly periods: number;
    readonly throttledPeriods: number;
    readonly throttledSeconds: number;
    readonly burstPeriods: number;
    readonly burstSeconds: number;
  };
}

/** In bytes, but for counts. All but `maxUsage` and the counts are current amounts. */
export interface CgroupMemoryFigures {
  readonly usage: number;
  readonly workingSet: number;
  readonly cache: number;
  readonly rss: number;
  readonly swap: number;
  readonly mappedFile: number;
  readonly activeFile: number;
  readonly inactiveFile: number;
  readonly kernel: number;
  readonly maxUsage: number;
  /** How often the limit was reached. */
  readonly limitHits: number;
  /** With those of the cgroups below, as the next one. */
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  /** Without those of the cgroups below where the kernel tells them apart, as the next one. */
  readonly ownPageFaults: number;
  readonly ownMajorPageFaults: number;
  /** Processes that were killed for want of memory. */
  readonly kills: number;
  /** 0 without a limit, as the next two. */
  readonly limit: number;
  readonly swapLimit: number;
  readonly reservation: number;
}

/** Current amounts. Threads are those of the cgroups below, too; the others are of the cgroup itself. */
export interface CgroupProcesses {
  readonly count: number;
  readonly descriptors: number;
  readonly sockets: number;
  /** Undefined for the cgroup of the whole machine, where the kernel does not count them. */
  readonly threads?: number;
  /** 0 without a limit. */
  readonly maxThreads?: number;
  /** Soft limit of open files of the first process; -1 without a limit. */
  readonly maxOpenFiles?: number;
}

/** Of one device, by operation: `Read`, `Write`, `Sync`, …, `Total`. */
export interface DiskFigures {
  /** As `/dev/sda`; empty where the kernel has no name for it. */
  readonly device: string;
  readonly major: number;
  readonly minor: number;
  readonly bytes: ReadonlyMap<string, number>;
  readonly operations: ReadonlyMap<string, number>;
  /** Seconds by the kernel's model of what the device can do (`io.cost`): `usage`, `wait`, `indebt`, `indelay`. */
  readonly cost: ReadonlyMap<string, number>;
}

export interface InterfaceFigures {
  readonly name: string;
  readonly received: PacketFigures;
  readonly sent: PacketFigures;
}

export interface PacketFigures {
  readonly bytes: number;
  readonly packets: number;
  readonly errors: number;
  readonly dropped: number;
}

/** A file system with what the kernel counts of its device. */
export interface FilesystemFigures {
  readonly device: string;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly reads: TransferFigures;
  readonly writes: TransferFigures;
  readonly inProgress: number;
  readonly busySeconds: number;
  readonly weightedSeconds: number;
}

export interface TransferFigures {
  readonly completed: number;
  readonly merged: number;
  readonly sectors: number;
  readonly seconds: number;
}
