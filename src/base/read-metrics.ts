import { MetricRegistry } from './metric-registry.ts';
import type { ExposedMetric, MetricSample } from './metric-text.ts';

/** A metric as it was at one moment: plain data, which can be told to another process. */
export interface ReadMetric extends Omit<ExposedMetric, 'samples'> {
  readonly samples: readonly MetricSample[];
}

/** All metrics of a registry as they are now. */
export function readMetrics(registry: MetricRegistry): ReadMetric[] {
  return Array.from(registry.metrics, (metric) => {
    const { name, help, type } = metric;
    return { name, help, type, samples: metric.samples() };
  });
}

/** A registry of what was read elsewhere. */
export function registryOf(metrics: readonly ReadMetric[]): MetricRegistry {
  const registry = new MetricRegistry();
  for (const metric of metrics) registry.register(metric, { ...metric, samples: () => metric.samples });
  return registry;
}
