import { type MetricRow, MetricTable } from '../node/index.ts';

/** What is counted of processors and memory that containers get for themselves, under the names of a kubelet. */
export const ASSIGNMENT_ROWS = {
  kubelet_container_aligned_compute_resources_count: {
    type: 'counter',
    help: 'How often containers or pods got resources that are near to each other.',
  },
  kubelet_container_aligned_compute_resources_failure_count: {
    type: 'counter',
    help: 'How often containers or pods could not get resources that are near to each other.',
  },
  kubelet_cpu_manager_pinning_errors_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Containers that could not be given processors of their own.',
  },
  kubelet_cpu_manager_pinning_requests_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Containers that were to have processors of their own.',
  },
  kubelet_memory_manager_pinning_errors_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Containers that could not be given memory of some NUMA nodes.',
  },
  kubelet_memory_manager_pinning_requests_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Containers that were to have memory of some NUMA nodes.',
  },
  kubelet_topology_manager_admission_duration_ms: {
    type: 'histogram',
    help: 'Time that agreeing on NUMA nodes for a pod took, in milliseconds.',
    bounds: Array.from({ length: 15 }, (_, index) => 0.05 * 2 ** index),
  },
  kubelet_topology_manager_admission_errors_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Pods whose resources could not be agreed on.',
  },
  kubelet_topology_manager_admission_requests_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Pods whose resources were to be agreed on.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Where assignments are counted: a table of their own, or one that has more rows. */
export type AssignmentMetrics = Pick<MetricTable<keyof typeof ASSIGNMENT_ROWS>, 'add' | 'observe'>;

export function assignmentMetrics(): MetricTable<keyof typeof ASSIGNMENT_ROWS> {
  return new MetricTable<keyof typeof ASSIGNMENT_ROWS>(ASSIGNMENT_ROWS);
}
