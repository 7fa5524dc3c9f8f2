// Linux settings of pods and containers. Names as in the Container Runtime Interface.

export interface LinuxContainerResources {
  /** In microseconds; a container may use `cpuQuota` of every period. */
  readonly cpuPeriod: number;
  /** In microseconds; 0 for no limit. */
  readonly cpuQuota: number;
  readonly cpuShares: number;
  /** 0 for no limit. */
  readonly memoryLimitInBytes: number;
  /** From -1000, never killed, to 1000, killed first. */
  readonly oomScoreAdj: number;
  readonly hugepageLimits: readonly { readonly pageSize: string; readonly limit: number }[];
  /** Memory and swap together; undefined to leave swap to the runtime. */
  readonly memorySwapLimitInBytes?: number;
  /** The processors that the container may use: `0-3,8`; undefined for all. */
  readonly cpusetCpus?: string;
  /** The NUMA nodes whose memory the container may use. */
  readonly cpusetMems?: string;
  /** Settings of cgroup v2 by name. */
  readonly unified?: Readonly<Record<string, string>>;
}

/** `POD` shares with the pod's other containers, `CONTAINER` with no other container, `NODE` with the node, `TARGET` with `targetId`. */
export type NamespaceMode = 'POD' | 'CONTAINER' | 'NODE' | 'TARGET';

/** A range of user ids, and group ids, of the machine that a user namespace shows as others. */
export interface IdMapping {
  readonly hostId: number;
  readonly containerId: number;
  readonly length: number;
}

export interface NamespaceOption {
  readonly network: NamespaceMode;
  readonly pid: NamespaceMode;
  readonly ipc: NamespaceMode;
  /** The ids of the pod's own user namespace; undefined for the users of the machine. */
  readonly userNamespace?: IdMapping;
  readonly targetId?: string;
}

export interface SecurityProfile {
  readonly profileType: 'RuntimeDefault' | 'Unconfined' | 'Localhost';
  /** The name or path of a `Localhost` profile. */
  readonly localhostRef: string;
}

export interface SelinuxOption {
  readonly user: string;
  readonly role: string;
  readonly type: string;
  readonly level: string;
}

/** What pods and containers have in common; fields that are undefined are left to the image and the runtime. */
interface SecurityContext {
  readonly namespaceOptions: NamespaceOption;
  readonly selinuxOptions?: SelinuxOption;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  readonly supplementalGroupsPolicy: 'Merge' | 'Strict';
  readonly privileged: boolean;
  readonly seccomp: SecurityProfile;
  readonly apparmor?: SecurityProfile;
}

export type LinuxSandboxSecurityContext = SecurityContext;

export interface LinuxContainerSecurityContext extends SecurityContext {
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly readonlyRootfs: boolean;
  readonly noNewPrivs: boolean;
  /** Whether the runtime's usual paths under /proc and /sys are hidden or read-only. */
  readonly isProcMasked: boolean;
}
