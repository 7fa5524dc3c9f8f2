import { isReady } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

/** Age of deleted pods relative to the youngest; shared by ReplicaSets and ReplicationControllers, as upstream. */
export function deletionAgeRatio(metrics: MetricRegistry): Histogram {
  return metrics
    .histogram({
      name: 'replicaset_controller_sorting_deletion_age_ratio',
      help: 'Age of ready pods chosen for deletion as a multiple of the age of the youngest ready pod.',
      buckets: exponentialBuckets(0.25, 2, 6),
    })
    .with();
}

/** Records the ratio of each ready pod that was chosen among `active`. */
export function observeAges(
  ratios: Histogram,
  { active, chosen }: { readonly active: readonly Observed<Pod>[]; readonly chosen: readonly Observed<Pod>[] },
  nowMs: number,
): void {
  if (chosen.length === active.length) return;
  const ageMs = ({ metadata }: Observed<Pod>): number => nowMs - Date.parse(metadata.creationTimestamp);
  const youngestMs = active.reduce((least, pod) => (isReady(pod) ? Math.min(least, ageMs(pod)) : least), Infinity);
  if (youngestMs <= 0) return;
  for (const pod of chosen) if (isReady(pod)) ratios.observe(Math.trunc(ageMs(pod) / youngestMs));
}
