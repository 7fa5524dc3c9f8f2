import { exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import { Job, keyOf, type Observed } from '../../client/index.ts';
import { type Controller, controller } from '../../kit/index.ts';

const CONCURRENT_SYNCS = 5;

/** Deletes finished Jobs after their ttlSecondsAfterFinished. */
export function ttlAfterFinishedController(): Controller {
  return controller(Job, {
    name: 'ttl-after-finished',
    queueName: 'ttl_jobs_to_delete',
    component: 'ttl-after-finished-controller',
    concurrency: CONCURRENT_SYNCS,
    async reconcile(job, { objects, clock, after, metrics }) {
      const seconds = metrics.shared(deletionSeconds);
      const leftMs = untilExpiryMs(job, clock.now());
      if (leftMs === undefined) return;
      if (leftMs > 0) return after(leftMs);
      const key = keyOf(job);
      const live = await objects(Job).fetch(key);
      const liveLeftMs = live === undefined ? undefined : untilExpiryMs(live, clock.now());
      if (live === undefined || liveLeftMs === undefined) return;
      if (liveLeftMs > 0) return after(liveLeftMs);
      const preconditions = { uid: live.metadata.uid };
      await objects(Job).delete(key, { propagationPolicy: 'Foreground', preconditions });
      seconds.observe(-liveLeftMs / 1000);
    },
  });
}

function deletionSeconds(metrics: MetricRegistry): Histogram {
  return metrics
    .histogram({
      name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
      help: 'Time from when a Job was to be deleted to when it was.',
      buckets: exponentialBuckets(0.1, 2, 14),
    })
    .with();
}

/** Milliseconds until the Job expires; undefined when it has not finished or has no TTL. */
function untilExpiryMs({ metadata, spec, status }: Observed<Job>, nowMs: number): number | undefined {
  const { ttlSecondsAfterFinished } = spec ?? {};
  if (ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const end = status?.conditions?.find(
    ({ type, status: holds }) => holds === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  if (end === undefined) return undefined;
  if (end.lastTransitionTime === undefined)
    throw new Error(`unable to find the time when the Job ${keyOf({ metadata })} finished`);
  return Date.parse(end.lastTransitionTime) + ttlSecondsAfterFinished * 1000 - nowMs;
}
