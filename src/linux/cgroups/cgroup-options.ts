import type { ResourceTexts } from '../../node/index.ts';

/** What is enforced of the node's allocatable resources, as in `enforceNodeAllocatable` of KubeletConfiguration. */
export type Enforcement =
  | 'pods'
  | 'system-reserved'
  | 'kube-reserved'
  | 'system-reserved-compressible'
  | 'kube-reserved-compressible';

/** How the machine limits pods. Names and defaults as in KubeletConfiguration. */
export interface CgroupOptions {
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** The cgroup that pods are below, as a path of the driver; empty for the machine's root. */
  readonly cgroupRoot: string;
  /** False for no cgroups of QoS classes and pods. */
  readonly cgroupsPerQOS: boolean;
  readonly enforceNodeAllocatable: readonly Enforcement[];
  readonly systemReservedCgroup: string;
  readonly kubeReservedCgroup: string;
  readonly systemReserved: ResourceTexts;
  readonly kubeReserved: ResourceTexts;
  /** Most processes of a pod; -1 for no limit. */
  readonly podPidsLimit: number;
  readonly cpuCFSQuota: boolean;
  readonly cpuCFSQuotaPeriodMs: number;
  readonly singleProcessOOMKill: boolean;
  readonly swapBehavior: 'NoSwap' | 'LimitedSwap';
  /** Undefined while the feature MemoryQoS is off. */
  readonly memoryQoS?: { readonly throttlingFactor: number; readonly isProtecting: boolean } | undefined;
}

export const DEFAULT_CGROUP_OPTIONS: CgroupOptions = {
  cgroupDriver: 'cgroupfs',
  cgroupRoot: '',
  cgroupsPerQOS: true,
  enforceNodeAllocatable: ['pods'],
  systemReservedCgroup: '',
  kubeReservedCgroup: '',
  systemReserved: {},
  kubeReserved: {},
  podPidsLimit: -1,
  cpuCFSQuota: true,
  cpuCFSQuotaPeriodMs: 100,
  singleProcessOOMKill: true,
  swapBehavior: 'NoSwap',
};

/** Refuses options that contradict each other. */
export function checkCgroupOptions(options: CgroupOptions): void {
  const { cgroupsPerQOS, enforceNodeAllocatable, systemReservedCgroup, kubeReservedCgroup } = options;
  const has = (...wanted: readonly Enforcement[]): boolean =>
    wanted.some((each) => enforceNodeAllocatable.includes(each));
  if (!cgroupsPerQOS && enforceNodeAllocatable.length > 0)
    throw new Error(
      'Cannot enforce allocatable resources without cgroups of pods: enforceNodeAllocatable must be empty when cgroupsPerQOS is false',
    );
  if (has('system-reserved', 'system-reserved-compressible') && systemReservedCgroup === '')
    throw new Error('Cannot enforce system-reserved: systemReservedCgroup is not set');
  if (has('kube-reserved', 'kube-reserved-compressible') && kubeReservedCgroup === '')
    throw new Error('Cannot enforce kube-reserved: kubeReservedCgroup is not set');
}
