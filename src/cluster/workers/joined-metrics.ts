import {
  METRIC_CONTENT_TYPES,
  MetricRegistry,
  negotiateMetricFormat,
  type ReadMetric,
  registryOf,
} from '../../base/index.ts';
import { processStart } from '../../apiserver/index.ts';
import { PROCESS_STARTED_AT_MS } from '../process-metrics.ts';
import type { PassedAnswer } from './messages.ts';

/** Figures that are the same in each process of a server, or that make no sense when they are added up. */
const REPORTED_ONCE: ReadonlySet<string> = new Set([
  'aggregator_unavailable_apiservice',
  'apiserver_resource_objects',
  'apiserver_resource_size_estimate_bytes',
  'apiserver_storage_objects',
  'kubernetes_build_info',
  'kubernetes_feature_enabled',
  'process_max_fds',
  'process_start_time_seconds',
  'process_virtual_memory_max_bytes',
]);

/** A scrape of a server that is several processes: their figures, added up. */
export function joinedMetrics(
  own: readonly MetricRegistry[],
  workers: readonly (readonly ReadMetric[])[],
  accept: string,
): PassedAnswer {
  const format = negotiateMetricFormat(accept);
  const theirs = workers.map((metrics) => registryOf(metrics.filter(({ name }) => !REPORTED_ONCE.has(name))));
  const text = MetricRegistry.exposeAll([...own, ...theirs], format);
  const headers = processStart(PROCESS_STARTED_AT_MS);
  return { status: 200, text, contentType: METRIC_CONTENT_TYPES[format], headers };
}
