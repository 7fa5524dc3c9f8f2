/** Names, separated by blanks, of metrics that are absent for one reason. */
interface AbsentGroup {
  readonly why: string;
  readonly names: string;
}

const groups: readonly AbsentGroup[] = [
  {
    why: 'what the managers of processors, memory and their topology do is not counted yet',
    names: `kubelet_container_aligned_compute_resources_count kubelet_container_aligned_compute_resources_failure_count
      kubelet_cpu_manager_allocation_per_numa kubelet_cpu_manager_exclusive_cpu_allocation_count
      kubelet_cpu_manager_pinning_errors_total kubelet_cpu_manager_pinning_requests_total
      kubelet_cpu_manager_shared_pool_size_millicores kubelet_memory_manager_pinning_errors_total
      kubelet_memory_manager_pinning_requests_total kubelet_topology_manager_admission_duration_ms
      kubelet_topology_manager_admission_errors_total kubelet_topology_manager_admission_requests_total
      kubelet_cgroup_manager_duration_seconds kubelet_cgroup_version container_swap_limit_bytes`,
  },
  {
    why: 'calls of credential providers are not counted yet',
    names: `kubelet_credential_provider_config_info kubelet_credential_provider_plugin_duration
      kubelet_credential_provider_plugin_errors_total`,
  },
  {
    why: 'checks and records of who may use which image, and images that are removed, are not counted yet',
    names: `kubelet_image_garbage_collected_total kubelet_image_manager_ensure_image_requests_total
      kubelet_imagemanager_image_mustpull_checks_total kubelet_imagemanager_inmemory_pulledrecords_usage_percent
      kubelet_imagemanager_inmemory_pullintents_usage_percent kubelet_imagemanager_ondisk_pulledrecords
      kubelet_imagemanager_ondisk_pullintents kubelet_image_volume_mounted_errors_total
      kubelet_image_volume_mounted_succeed_total kubelet_image_volume_requested_total`,
  },
  {
    why: 'evictions, preemption on the node, static pods and graceful shutdown are not counted yet',
    names: `kubelet_evictions kubelet_eviction_stats_age_seconds kubelet_preemptions kubelet_restarted_pods_total
      kubelet_graceful_shutdown_end_time_seconds kubelet_graceful_shutdown_start_time_seconds
      kubelet_admission_rejections_total`,
  },
  {
    why: 'in-place resizes are not counted yet',
    names: `kubelet_container_requested_resizes_total kubelet_pod_deferred_accepted_resizes_total
      kubelet_pod_in_progress_resizes kubelet_pod_infeasible_resizes_total kubelet_pod_pending_resizes
      kubelet_pod_resize_duration_milliseconds`,
  },
  {
    why: 'calls of drivers of claims and of the socket of pod resources are not counted yet',
    names: `dra_grpc_operations_duration_seconds dra_operations_duration_seconds dra_resource_claims_in_use
      kubelet_device_plugin_alloc_duration_seconds kubelet_device_plugin_registration_total
      kubelet_pod_resources_endpoint_errors_get kubelet_pod_resources_endpoint_errors_get_allocatable
      kubelet_pod_resources_endpoint_errors_list kubelet_pod_resources_endpoint_requests_get
      kubelet_pod_resources_endpoint_requests_get_allocatable kubelet_pod_resources_endpoint_requests_list
      kubelet_pod_resources_endpoint_requests_total plugin_manager_total_plugins`,
  },
  {
    why: 'the agent follows events without the beta of upstream that these describe, and drops none',
    names: `kubelet_evented_pleg_connection_error_count kubelet_evented_pleg_connection_latency_seconds
      kubelet_evented_pleg_connection_success_count kubelet_pleg_discard_events`,
  },
  {
    why: 'volumes are mounted without the states that these describe',
    names: `force_cleaned_failed_volume_operation_errors_total force_cleaned_failed_volume_operations_total
      kubelet_orphan_pod_cleaned_volumes kubelet_orphan_pod_cleaned_volumes_errors kubelet_orphaned_runtime_pods_total
      kubelet_volume_metric_collection_duration_seconds kubelet_volume_stats_health_status_abnormal
      reconstruct_volume_operations_errors_total reconstruct_volume_operations_total volume_manager_total_volumes
      volume_manager_selinux_container_errors_total volume_manager_selinux_container_warnings_total
      volume_manager_selinux_pod_context_mismatch_errors_total volume_manager_selinux_pod_context_mismatch_warnings_total
      volume_manager_selinux_volume_context_mismatch_errors_total
      volume_manager_selinux_volume_context_mismatch_warnings_total volume_manager_selinux_volumes_admitted_total
      csi_operations_seconds storage_operation_duration_seconds volume_operation_total_seconds`,
  },
  {
    why: 'certificates are rotated, but their state is in the log',
    names: `kubelet_certificate_manager_client_expiration_renew_errors kubelet_certificate_manager_client_ttl_seconds
      kubelet_certificate_manager_server_rotation_seconds kubelet_certificate_manager_server_ttl_seconds
      kubelet_server_expiration_renew_errors kubelet_podcertificate_states`,
  },
  {
    why: 'they belong to a feature that is off by default, to Windows, or to a runtime that is too old',
    names: `kubelet_cri_losing_support kubelet_started_host_process_containers_errors_total
      kubelet_started_host_process_containers_total kubelet_started_user_namespaced_pods_errors_total
      kubelet_started_user_namespaced_pods_total kubelet_lifecycle_handler_http_fallbacks_total
      kubelet_sleep_action_terminated_early_total`,
  },
  {
    why: 'the start of the node and the writing of statuses are not measured yet',
    names: `kubelet_node_startup_duration_seconds kubelet_node_startup_post_registration_duration_seconds
      kubelet_node_startup_pre_kubelet_duration_seconds kubelet_node_startup_pre_registration_duration_seconds
      kubelet_node_startup_registration_duration_seconds kubelet_pod_status_sync_duration_seconds`,
  },
  {
    why: "they are metrics of Go's client and of its registry of metrics",
    names: `informer_processing_latency_seconds informer_queued_items leader_election_master_status
      leader_election_slowpath_total rest_client_dns_resolution_duration_seconds rest_client_exec_plugin_call_total
      rest_client_exec_plugin_certificate_rotation_age rest_client_exec_plugin_policy_call_total
      rest_client_exec_plugin_ttl_seconds rest_client_rate_limiter_duration_seconds rest_client_request_duration_seconds
      rest_client_request_retries_total rest_client_request_size_bytes rest_client_requests_total
      rest_client_response_size_bytes rest_client_transport_cache_entries rest_client_transport_create_calls_total
      version_info disabled_metrics_total hidden_metrics_total kubernetes_feature_enabled registered_metrics_total
      running_managed_controllers workqueue_adds_total workqueue_depth workqueue_longest_running_processor_seconds
      workqueue_queue_duration_seconds workqueue_retries_total workqueue_unfinished_work_seconds
      workqueue_work_duration_seconds kubernetes_healthcheck kubernetes_healthchecks_total`,
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
