import type { PodCgroupPlace } from '../config/cgroup-name.ts';
import type { ResourceRules } from '../config/resource-rules.ts';
import type { DnsConfig } from '../runtime/index.ts';

/** Amounts of resources by name, as quantities: `{ cpu: '8', memory: '16Gi' }`. */
export type ResourceTexts = Readonly<Record<string, string>>;

/** The part of `status.nodeInfo` that describes the machine. */
export interface MachineInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** In bytes; undefined for a machine without swap. */
  readonly swapCapacity?: number;
}

/** Folders on the machine. */
export interface MachineFolders {
  /** The agent's folder: volumes and files of pods are below `pods/<uid>`. */
  readonly root: string;
  /** Where the runtime writes the logs of containers. */
  readonly podLogs: string;
}

/** How names are resolved in pods. */
export interface MachineDns {
  /** Addresses of the cluster's DNS servers; empty where the cluster has none: pods then resolve names as the machine does. */
  readonly clusterServers: readonly string[];
  readonly clusterDomain: string;
  /** The content of the machine's resolv.conf; undefined to let the runtime use that file as it is. */
  readonly resolver: DnsConfig | undefined;
}

/** Which resources the machine is running out of. */
export interface MachinePressure {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

/** The machine behind a node. The agent reads the members at each status report; they may change between reports. */
export interface Machine {
  /** In Go's spelling: `linux`, `windows`. */
  readonly operatingSystem: string;
  /** In Go's spelling: `amd64`, `arm64`. */
  readonly architecture: string;
  /** The version that the node reports: `v1.36.3`. */
  readonly kubeletVersion: string;
  /** The machine's addresses: the main one first, then perhaps one of the other IP family. */
  readonly addresses: readonly string[];
  /**
   * Whether the API server can dial the addresses of pods: true where they are on a network, or on loopback addresses of this machine. False
   * where they are made up: pods are then reached only through `RuntimeService.portForward`.
   */
  readonly hasPodNetwork: boolean;
  readonly info: MachineInfo;
  /** All resources of the machine, including `pods` and huge pages. */
  readonly capacity: ResourceTexts;
  /** The part of the capacity that is not allocatable to pods. */
  readonly reserved: ResourceTexts;
  readonly folders: MachineFolders;
  readonly dns: MachineDns;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** Where the cgroups of pods are; default below `kubepods`. */
  readonly podCgroups?: PodCgroupPlace;
  /** How requests and limits become settings of the kernel; default those of a kubelet without a configuration. */
  readonly resourceRules?: ResourceRules;
  /** The agent calls this at each status report. */
  pressure(): Promise<MachinePressure>;
}
