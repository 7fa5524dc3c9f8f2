import { type Clock, discardLogger, MetricRegistry } from '../../../base/index.ts';
import type { ReconcileRecord } from '../../trace.ts';
import type { WorkersParts } from '../keyed-workers.ts';
import { WorkMetrics } from '../work-metrics.ts';

/** What workers need, without an app. Collects the trace in `records`. */
export function workersParts(clock: Clock, records: ReconcileRecord[] = []): WorkersParts {
  const registry = new MetricRegistry();
  return {
    clock,
    log: discardLogger,
    metrics: new WorkMetrics(registry),
    stopGraceMs: 0,
    trace: (record) => void records.push(record),
  };
}
