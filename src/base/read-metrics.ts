import { MetricRegistry } from './metric-registry.ts';
import type { ExposedMetric, MetricSample } from './metric-text.ts';

/** A metric at one moment: plain data, which can be sent to another process. */
export interface ReadMetric extends Omit<ExposedMetric, 'samples'> {
  readonly samples: readonly MetricSample[];
}

/** All metrics of a registry with their current values. */
export function readMetrics(registry: MetricRegistry): ReadMetric[] {
  return Array.from(registry.metrics, (metric) => {
    const { name, help, type } = metric;
    return { name, help, type, samples: metric.samples() };
  });
}

/** A registry that exposes metrics read in another process. */
export function registryOf(metrics: readonly ReadMetric[]): MetricRegistry {
  const registry = new MetricRegistry();
  for (const metric of metrics) registry.register(metric, { ...metric, samples: () => metric.samples });
  return registry;
}
