import { ASSIGNMENT_ROWS } from '../../assignment/index.ts';
import { type MetricRow, MetricTable } from '../../node/index.ts';

export const MACHINE_ROWS = {
  kubelet_cgroup_manager_duration_seconds: { type: 'histogram', help: 'Time that work on cgroups took, by operation.' },
  kubelet_cgroup_version: { type: 'gauge', help: 'Version of the cgroups of the machine.' },
  ...ASSIGNMENT_ROWS,
} as const satisfies Readonly<Record<string, MetricRow>>;

/** What is counted of cgroups, and of processors and memory that containers get for themselves. */
export type MachineMetrics = MetricTable<keyof typeof MACHINE_ROWS>;

export function machineMetrics(): MachineMetrics {
  return new MetricTable<keyof typeof MACHINE_ROWS>(MACHINE_ROWS);
}
