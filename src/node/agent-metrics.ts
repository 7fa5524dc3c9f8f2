import { type MetricRow, MetricTable } from './metric-table.ts';

const STORAGE_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** What the parts of an agent count, beside what has a class of its own. */
export const AGENT_ROWS = {
  kubelet_admission_rejections_total: { type: 'counter', help: 'Pods that the node did not take, by reason.' },
  kubelet_container_requested_resizes_total: {
    type: 'counter',
    help: 'Resizes that pods asked for, by container, resource, and what becomes of it.',
  },
  kubelet_credential_provider_plugin_duration: {
    type: 'histogram',
    help: 'Time that credential providers took, in seconds.',
  },
  kubelet_credential_provider_plugin_errors_total: {
    type: 'counter',
    help: 'Calls of credential providers that failed.',
  },
  kubelet_eviction_stats_age_seconds: {
    type: 'histogram',
    help: 'Time between a measurement and the eviction that it led to, by signal.',
  },
  kubelet_evictions: { type: 'counter', help: 'Pods that were evicted, by signal.' },
  kubelet_graceful_shutdown_end_time_seconds: {
    type: 'gauge',
    startsAtZero: true,
    help: 'When pods had last been ended for a shutdown, in seconds since 1970.',
  },
  kubelet_graceful_shutdown_start_time_seconds: {
    type: 'gauge',
    startsAtZero: true,
    help: 'When pods were last begun to be ended for a shutdown, in seconds since 1970.',
  },
  kubelet_image_garbage_collected_total: { type: 'counter', help: 'Images that were removed, by reason.' },
  kubelet_image_manager_ensure_image_requests_total: {
    type: 'counter',
    help: 'How often images were to be on the machine, and what that took.',
  },
  kubelet_imagemanager_image_mustpull_checks_total: {
    type: 'counter',
    help: 'Checks whether a pod may use an image that is on the machine.',
  },
  kubelet_image_volume_mounted_errors_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Image volumes that could not be mounted.',
  },
  kubelet_image_volume_mounted_succeed_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Image volumes that were mounted.',
  },
  kubelet_preemptions: {
    type: 'counter',
    help: 'Pods that were ended for critical ones, by the resource that was short.',
  },
  kubelet_image_volume_requested_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Image volumes that containers asked for.',
  },
  kubelet_lifecycle_handler_http_fallbacks_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Hooks that succeeded with plain HTTP in place of HTTPS.',
  },
  kubelet_orphan_pod_cleaned_volumes: {
    type: 'gauge',
    startsAtZero: true,
    help: 'Pods that were gone, whose files the last sweep removed.',
  },
  kubelet_orphan_pod_cleaned_volumes_errors: {
    type: 'gauge',
    startsAtZero: true,
    help: 'Pods that were gone, whose files the last sweep could not remove.',
  },
  kubelet_orphaned_runtime_pods_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Pods of the runtime that the API does not have.',
  },
  kubelet_pod_deferred_accepted_resizes_total: { type: 'counter', help: 'Deferred resizes that were accepted.' },
  kubelet_pod_infeasible_resizes_total: { type: 'counter', help: 'Resizes that the node can never carry out.' },
  kubelet_pod_resize_duration_milliseconds: {
    type: 'histogram',
    help: 'Time that changes of limits took.',
    bounds: [10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000],
  },
  kubelet_sleep_action_terminated_early_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Sleeping hooks that were cut short.',
  },
  kubelet_started_user_namespaced_pods_errors_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Pods with user namespaces that could not be started.',
  },
  kubelet_started_user_namespaced_pods_total: {
    type: 'counter',
    startsAtZero: true,
    help: 'Pods with user namespaces.',
  },
  kubelet_volume_metric_collection_duration_seconds: {
    type: 'histogram',
    help: 'Time that measuring the volumes of a pod took.',
  },
  storage_operation_duration_seconds: {
    type: 'histogram',
    help: 'Time that mounting and unmounting of volumes took, by plugin.',
    bounds: STORAGE_SECONDS,
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type AgentMetrics = MetricTable<keyof typeof AGENT_ROWS>;

export function agentMetrics(): AgentMetrics {
  return new MetricTable<keyof typeof AGENT_ROWS>(AGENT_ROWS);
}
