// What a real machine measures besides processor time and memory.

/** For which share of time tasks waited for a resource, in percent, and in all in microseconds. */
export interface PressureShare {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

/** Pressure stall information: shares of time in which some tasks, or all of them, waited. */
export interface Pressure {
  readonly full: PressureShare;
  readonly some: PressureShare;
}

/** Of a container, a pod or the machine. */
export interface UsageDetails {
  readonly memory?: {
    readonly availableBytes?: number;
    readonly usageBytes: number;
    readonly rssBytes: number;
    readonly pageFaults: number;
    readonly majorPageFaults: number;
  };
  readonly swap?: { readonly availableBytes?: number; readonly usageBytes: number };
  readonly pressure?: { readonly cpu?: Pressure; readonly memory?: Pressure; readonly io?: Pressure };
  /** The container's own layer of its file system. */
  readonly writableLayer?: { readonly usedBytes: number; readonly inodesUsed: number };
  /** The container's log files. */
  readonly logBytes?: number;
}

export interface InterfaceUsage {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

/** A file system, or the part of one that a folder takes. */
export interface DiskUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}

export interface VolumeUsage extends DiskUsage {
  /** As the pod names the volume. */
  readonly name: string;
  /** The name of the claim behind it; undefined for other volumes. */
  readonly claim: string | undefined;
  /** Whether it counts as the pod's ephemeral storage. */
  readonly isEphemeral: boolean;
}
