import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';

const LABELS = ['ip_family'] as const;

/** The metrics of rules and connections, under kube-proxy's names. */
export type ProxyMetrics = ReturnType<typeof makeMetrics>;

export function proxyMetrics(registry: MetricRegistry): ProxyMetrics {
  return registry.shared(makeMetrics);
}

function makeMetrics(registry: MetricRegistry) {
  return {
    syncFailures: registry.counter({
      name: 'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
      help: 'Syncs of nftables rules that failed',
      labels: LABELS,
    }),
    cleanupFailures: registry.counter({
      name: 'kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total',
      help: 'Deletions of unused nftables chains that failed',
      labels: LABELS,
    }),
    conntrackDuration: registry.histogram({
      name: 'kubeproxy_conntrack_reconciler_sync_duration_seconds',
      help: 'Time that the search for stale tracked connections took',
      labels: LABELS,
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
    conntrackDeleted: registry.counter({
      name: 'kubeproxy_conntrack_reconciler_deleted_entries_total',
      help: 'Tracked connections that were deleted',
      labels: LABELS,
    }),
    healthz: registry.counter({
      name: 'kubeproxy_proxy_healthz_total',
      help: 'Answers of /healthz by status',
      labels: ['code'],
    }),
    livez: registry.counter({
      name: 'kubeproxy_proxy_livez_total',
      help: 'Answers of /livez by status',
      labels: ['code'],
    }),
  };
}
