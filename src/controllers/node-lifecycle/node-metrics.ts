import { zoneKeyOf } from '../../api/meaning/index.ts';
import { exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import type { Node, Observed } from '../../client/index.ts';
import { readinessOf } from './node-health.ts';

interface ZoneFigures {
  readonly zone: string;
  readonly size: number;
  readonly bad: number;
}

/** Metrics of nodes, under kube-controller-manager's names. */
export class NodeMetrics {
  readonly #evictions;
  readonly #checkSeconds: Histogram;
  /** The time to check one node. */
  readonly nodeSeconds: Histogram;
  readonly #nodes: () => readonly Observed<Node>[];

  /** `nodes` is called on every scrape. */
  constructor(metrics: MetricRegistry, nodes: () => readonly Observed<Node>[]) {
    const labels = ['zone'] as const;
    this.#nodes = nodes;
    this.#evictions = metrics.counter({
      name: 'node_collector_evictions_total',
      help: 'Nodes whose pods were to be evicted, by zone.',
      labels,
    });
    this.#checkSeconds = metrics
      .histogram({
        name: 'node_collector_update_all_nodes_health_duration_seconds',
        help: 'How long it takes to look after all nodes.',
        buckets: exponentialBuckets(0.01, 4, 8),
      })
      .with();
    this.nodeSeconds = metrics
      .histogram({
        name: 'node_collector_update_node_health_duration_seconds',
        help: 'How long it takes to look after one node.',
        buckets: exponentialBuckets(0.001, 4, 8),
      })
      .with();
    const gauge = (name: string, help: string, read: (figures: ZoneFigures) => number): void =>
      metrics.callback({ name, help, labels }, () =>
        zonesOf(nodes()).map((figures) => ({ labels: { zone: figures.zone }, value: read(figures) })),
      );
    gauge('node_collector_zone_size', 'Nodes of a zone.', ({ size }) => size);
    gauge('node_collector_unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.', ({ bad }) => bad);
    gauge(
      'node_collector_zone_health',
      'Percentage of the nodes of a zone that are ready.',
      ({ size, bad }) => (100 * (size - bad)) / size,
    );
  }

  evicted(node: Observed<Node>): void {
    this.#evictions.with({ zone: zoneKeyOf(node) }).add();
  }

  checked(ms: number): void {
    this.#checkSeconds.observe(ms / 1000);
    for (const node of this.#nodes()) this.#evictions.with({ zone: zoneKeyOf(node) }).add(0);
  }
}

function zonesOf(nodes: readonly Observed<Node>[]): readonly ZoneFigures[] {
  const zones = new Map<string, ZoneFigures>();
  for (const node of nodes) {
    const zone = zoneKeyOf(node);
    const { size, bad } = zones.get(zone) ?? { size: 0, bad: 0 };
    zones.set(zone, { zone, size: size + 1, bad: readinessOf(node) === 'True' ? bad : bad + 1 });
  }
  return [...zones.values()];
}
