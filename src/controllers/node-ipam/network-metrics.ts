import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';

/** What is told about one of the networks that nodes get theirs from. */
export interface NetworkMetrics {
  allocated(tries: number): void;
  /** Networks that others were found to have. */
  occupied(count: number): void;
  released(count: number): void;
}

/** What is counted about the networks of nodes, under the names that kube-controller-manager gives it. */
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
  // The name is misspelt upstream as well.
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
