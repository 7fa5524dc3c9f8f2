import type { Clock } from '../../base/index.ts';
import type { MachineMetrics } from '../stats/machine-metrics.ts';
import type { CgroupTree } from './cgroup-tree.ts';

type Operation = 'create' | 'update' | 'destroy';

/** Cgroups whose changes are timed. */
export function meteredTree(
  tree: CgroupTree,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: MachineMetrics },
): CgroupTree {
  const timed = async <T>(operation_type: Operation, work: () => Promise<T>): Promise<T> => {
    const beganMs = clock.monotonic();
    try {
      return await work();
    } finally {
      const tookMs = clock.monotonic() - beganMs;
      metrics.observe('kubelet_cgroup_manager_duration_seconds', tookMs / 1000, { operation_type });
    }
  };
  metrics.set('kubelet_cgroup_version', tree.version);
  return {
    version: tree.version,
    exists: (path) => tree.exists(path),
    limits: (path) => tree.limits(path),
    memoryUsage: (path) => tree.memoryUsage(path),
    processes: (path) => tree.processes(path),
    ownProcesses: (path) => tree.ownProcesses(path),
    join: (path, pid) => tree.join(path, pid),
    children: (path) => tree.children(path),
    create: (path) => timed('create', () => tree.create(path)),
    setLimits: (path, limits) => timed('update', () => tree.setLimits(path, limits)),
    remove: (path) => timed('destroy', () => tree.remove(path)),
  };
}
