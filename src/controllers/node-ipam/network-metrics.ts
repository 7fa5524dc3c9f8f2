import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';

/** Counts what happens to one of the cluster CIDRs. */
export interface NetworkMetrics {
  allocated(tries: number): void;
  /** Counts networks that were already in use. */
  occupied(count: number): void;
  released(count: number): void;
}

/** Metrics of the nodes' networks, under kube-controller-manager's names. */
export function networkMetrics(
  metrics: MetricRegistry,
): (clusterCIDR: string, size: { readonly count: number; used(): number }) => NetworkMetrics {
  const prefix = 'node_ipam_controller';
  const labels = ['clusterCIDR'] as const;
  const allocations = metrics.counter({
    name: `${prefix}_cidrset_cidrs_allocations_total`,
    help: 'Networks that nodes have got.',
    labels,
  });
  const releases = metrics.counter({
    name: `${prefix}_cidrset_cidrs_releases_total`,
    help: 'Networks that nodes have given back.',
    labels,
  });
  const tries = metrics.histogram({
    name: `${prefix}_cidrset_allocation_tries_per_request`,
    help: 'Networks that were looked at before a free one was found.',
    labels,
    buckets: exponentialBuckets(1, 5, 5),
  });
  const sizes = new Map<string, { readonly count: number; used(): number }>();
  // Upstream misspells the name too.
  const most = { name: `${prefix}_cirdset_max_cidrs`, help: 'Networks that there are for nodes.', labels };
  metrics.callback(most, () =>
    [...sizes].map(([clusterCIDR, { count }]) => ({ labels: { clusterCIDR }, value: count })),
  );
  const share = { name: `${prefix}_cidrset_usage_cidrs`, help: 'Share of the networks that is taken.', labels };
  metrics.callback(share, () =>
    [...sizes].map(([clusterCIDR, { count, used }]) => ({ labels: { clusterCIDR }, value: used() / count })),
  );
  return (clusterCIDR, size) => {
    sizes.set(clusterCIDR, size);
    return {
      allocated: (count) => {
        allocations.with({ clusterCIDR }).add();
        tries.with({ clusterCIDR }).observe(count);
      },
      occupied: (count) => allocations.with({ clusterCIDR }).add(count),
      released: (count) => releases.with({ clusterCIDR }).add(count),
    };
  };
}
