/** For kernels that limit swap. */
export interface SwapRules {
  readonly behavior: 'NoSwap' | 'LimitedSwap';
  readonly capacityBytes: number;
}

/** Protection and throttling of memory with cgroup v2 (KEP-2570). */
export interface MemoryQuality {
  /** The share between request and limit above which a container is throttled: 0.9. */
  readonly throttlingFactor: number;
  /** True to protect requested memory from being reclaimed. */
  readonly isProtecting: boolean;
  /** In bytes; stands in for the limit of containers without one. */
  readonly allocatableMemory: number;
}

/** How a machine turns requests and limits into settings of the kernel. */
export interface ResourceRules {
  /** False to leave out quotas of processor time. */
  readonly hasCpuQuota: boolean;
  readonly cpuPeriodMicroseconds: number;
  readonly cgroupVersion: 1 | 2;
  /** True to let the kernel kill all processes of a container that is out of memory, with cgroup v2. */
  readonly killsWholeContainer: boolean;
  /** Undefined for a kernel that does not limit swap. */
  readonly swap?: SwapRules | undefined;
  /** Undefined to protect and throttle no memory, which is the default. */
  readonly memoryQuality?: MemoryQuality | undefined;
}

export const DEFAULT_RULES: ResourceRules = {
  hasCpuQuota: true,
  cpuPeriodMicroseconds: 100_000,
  cgroupVersion: 1,
  killsWholeContainer: false,
};
