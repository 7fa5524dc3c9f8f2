import type { Counter, MetricFamily, MetricRegistry } from '../../base/index.ts';

/** Why a pod is force-deleted, in the words of kube-controller-manager. */
export type DeletionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

type PodCounter = MetricFamily<'namespace' | 'reason', Counter>;

export interface PodGcMetrics {
  readonly deleted: PodCounter;
  readonly failed: PodCounter;
}

/** Metrics of force-deleted pods. */
export function podGcMetrics(metrics: MetricRegistry): PodGcMetrics {
  const counter = (name: string, help: string): PodCounter =>
    metrics.counter({ name: `pod_gc_collector_${name}_total`, help, labels: ['namespace', 'reason'] });
  return {
    deleted: counter('force_delete_pods', 'Pods deleted by force.'),
    failed: counter('force_delete_pod_errors', 'Pods that could not be deleted by force.'),
  };
}
