/** Names, separated by blanks, of metrics that are absent for one reason. */
interface AbsentGroup {
  readonly why: string;
  readonly names: string;
}

const groups: readonly AbsentGroup[] = [
  {
    why: 'limits of swap are not measured',
    names: `container_swap_limit_bytes`,
  },
  {
    why: 'the configuration of credential providers has no hash here',
    names: `kubelet_credential_provider_config_info`,
  },
  {
    why: 'records of who may use which image are read from the disk when they are needed, and not kept in memory or counted',
    names: `kubelet_imagemanager_inmemory_pulledrecords_usage_percent
      kubelet_imagemanager_inmemory_pullintents_usage_percent kubelet_imagemanager_ondisk_pulledrecords
      kubelet_imagemanager_ondisk_pullintents`,
  },
  {
    why: 'the node tells pods that were created again apart by their uid',
    names: `kubelet_restarted_pods_total`,
  },
  {
    why: 'plugins that registered are not counted yet',
    names: 'plugin_manager_total_plugins',
  },
  {
    why: 'the agent follows events without the beta of upstream that these describe, and drops none',
    names: `kubelet_evented_pleg_connection_error_count kubelet_evented_pleg_connection_latency_seconds
      kubelet_evented_pleg_connection_success_count kubelet_pleg_discard_events`,
  },
  {
    why: 'volumes are mounted without the states that these describe',
    names: `force_cleaned_failed_volume_operation_errors_total force_cleaned_failed_volume_operations_total
      kubelet_volume_stats_health_status_abnormal reconstruct_volume_operations_errors_total
      reconstruct_volume_operations_total volume_manager_total_volumes
      volume_manager_selinux_container_errors_total volume_manager_selinux_container_warnings_total
      volume_manager_selinux_pod_context_mismatch_errors_total
      volume_manager_selinux_pod_context_mismatch_warnings_total
      volume_manager_selinux_volume_context_mismatch_errors_total
      volume_manager_selinux_volume_context_mismatch_warnings_total
      volume_manager_selinux_volumes_admitted_total csi_operations_seconds volume_operation_total_seconds`,
  },
  {
    why: 'volumes with certificates of pods are refused',
    names: `kubelet_podcertificate_states`,
  },
  {
    why: 'they belong to a feature that is off by default, to Windows, or to a runtime that is too old',
    names: `kubelet_cri_losing_support kubelet_started_host_process_containers_errors_total
      kubelet_started_host_process_containers_total`,
  },
  {
    why: 'the start of the node and the writing of statuses are not measured yet',
    names: `kubelet_node_startup_duration_seconds kubelet_node_startup_post_registration_duration_seconds
      kubelet_node_startup_pre_kubelet_duration_seconds
      kubelet_node_startup_pre_registration_duration_seconds
      kubelet_node_startup_registration_duration_seconds kubelet_pod_status_sync_duration_seconds`,
  },
  {
    why: "they are metrics of Go's client and of its registry of metrics",
    names: `informer_processing_latency_seconds informer_queued_items leader_election_master_status
      leader_election_slowpath_total rest_client_dns_resolution_duration_seconds
      rest_client_exec_plugin_call_total rest_client_exec_plugin_certificate_rotation_age
      rest_client_exec_plugin_policy_call_total rest_client_exec_plugin_ttl_seconds
      rest_client_rate_limiter_duration_seconds rest_client_request_duration_seconds
      rest_client_request_retries_total rest_client_request_size_bytes rest_client_requests_total
      rest_client_response_size_bytes rest_client_transport_cache_entries
      rest_client_transport_create_calls_total version_info disabled_metrics_total hidden_metrics_total
      kubernetes_feature_enabled registered_metrics_total running_managed_controllers workqueue_adds_total
      workqueue_depth workqueue_longest_running_processor_seconds workqueue_queue_duration_seconds
      workqueue_retries_total workqueue_unfinished_work_seconds workqueue_work_duration_seconds`,
  },
  { why: 'it is hidden in 1.36: resource_scrape_error has taken its place', names: 'scrape_error' },
];

/** Metrics of a kubelet that Keelson's nodes do not serve, with the reason. */
export const absentMetrics: ReadonlyMap<string, string> = new Map(
  groups.flatMap(({ why, names }) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, why] as const),
  ),
);
