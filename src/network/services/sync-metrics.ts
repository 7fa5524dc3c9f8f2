import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';
import type { IpFamily } from './proxied-port.ts';

const LABELS = ['ip_family'] as const;
const SYNC_BUCKETS = exponentialBuckets(0.001, 2, 15);
const PROGRAMMING_BUCKETS = [0.25, 0.5, ...steps(1, 1, 59), ...steps(60, 5, 12), ...steps(120, 30, 7)];

/** The metrics of a proxy's syncs, under kube-proxy's names. */
export type SyncMetrics = ReturnType<typeof makeMetrics>;

export function syncMetrics(registry: MetricRegistry): SyncMetrics {
  return registry.shared(makeMetrics);
}

/** Durations of a sync of the kind. */
export function observeSync(
  metrics: SyncMetrics,
  { family, isFull, seconds }: { readonly family: IpFamily; readonly isFull: boolean; readonly seconds: number },
): void {
  const labels = { ip_family: family };
  metrics.duration.with(labels).observe(seconds);
  (isFull ? metrics.fullDuration : metrics.partialDuration).with(labels).observe(seconds);
}

function makeMetrics(registry: MetricRegistry) {
  return {
    duration: registry.histogram({
      name: 'kubeproxy_sync_proxy_rules_duration_seconds',
      help: 'Time that a sync of the rules took',
      labels: LABELS,
      buckets: SYNC_BUCKETS,
    }),
    fullDuration: registry.histogram({
      name: 'kubeproxy_sync_full_proxy_rules_duration_seconds',
      help: 'Time that a sync of all rules took',
      labels: LABELS,
      buckets: SYNC_BUCKETS,
    }),
    partialDuration: registry.histogram({
      name: 'kubeproxy_sync_partial_proxy_rules_duration_seconds',
      help: 'Time that a sync of changed rules took',
      labels: LABELS,
      buckets: SYNC_BUCKETS,
    }),
    lastSynced: registry.gauge({
      name: 'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
      help: 'When the rules were last synced',
      labels: LABELS,
    }),
    lastQueued: registry.gauge({
      name: 'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds',
      help: 'When a sync of the rules was last asked for',
      labels: LABELS,
    }),
    programming: registry.histogram({
      name: 'kubeproxy_network_programming_duration_seconds',
      help: 'Time from the change of a pod or Service until the rules followed',
      labels: LABELS,
      buckets: PROGRAMMING_BUCKETS,
    }),
    noLocalEndpoints: registry.gauge({
      name: 'kubeproxy_sync_proxy_rules_no_local_endpoints_total',
      help: 'Service ports with a Local traffic policy and no endpoint on the node',
      labels: ['traffic_policy', 'ip_family'],
    }),
    servicesSeen: registry.counter({
      name: 'kubeproxy_sync_proxy_rules_service_changes_total',
      help: 'Changes of Services that were seen',
    }),
    servicesPending: registry.gauge({
      name: 'kubeproxy_sync_proxy_rules_service_changes_pending',
      help: 'Changed Services that are not in the rules yet',
    }),
    endpointsSeen: registry.counter({
      name: 'kubeproxy_sync_proxy_rules_endpoint_changes_total',
      help: 'Changes of EndpointSlices that were seen',
    }),
    endpointsPending: registry.gauge({
      name: 'kubeproxy_sync_proxy_rules_endpoint_changes_pending',
      help: 'Changed EndpointSlices that are not in the rules yet',
    }),
  };
}

function steps(start: number, width: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => start + at * width);
}
