import { isFinished } from '../../api/meaning/index.ts';
import { exponentialBuckets, type MetricRegistry } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { IndexSet } from './index-set.ts';
import { isTracked } from './job-pod.ts';
import type { JobView } from './job-view.ts';
import type { PodTally } from './pod-tally.ts';

/** What a sync did to the Job's pods, as in the metrics' label. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

/** The status counts whose growth is counted. */
interface Counts {
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
}

/** Metrics of Jobs, under kube-controller-manager's names. */
export class JobMetrics {
  readonly #syncs;
  readonly #syncSeconds;
  readonly #finished;
  readonly #podsFinished;
  readonly #podsCreated;
  readonly #indexes;
  readonly #judged;
  readonly #tracked;
  readonly #elsewhere;

  constructor(registry: MetricRegistry) {
    const named = <Label extends string>(
      name: string,
      help: string,
      labels: readonly Label[],
    ): { name: string; help: string; labels: readonly Label[] } => ({ name: `job_controller_${name}`, help, labels });
    const sync = ['completion_mode', 'result', 'action'] as const;
    this.#syncs = registry.counter(named('job_syncs_total', 'Runs for a Job.', sync));
    this.#syncSeconds = registry.histogram({
      ...named('job_sync_duration_seconds', 'How long a run for a Job takes.', sync),
      buckets: exponentialBuckets(0.004, 2, 15),
    });
    this.#finished = registry.counter(
      named('jobs_finished_total', 'Jobs that have ended, by how and why.', ['completion_mode', 'result', 'reason']),
    );
    this.#podsFinished = registry.counter(
      named('job_pods_finished_total', 'Pods that have ended and are counted for good.', ['completion_mode', 'result']),
    );
    this.#podsCreated = registry.counter(
      named('job_pods_creation_total', 'Pods that were to be made, by what for and how that went.', [
        'reason',
        'status',
      ]),
    );
    this.#indexes = registry.counter(
      named('job_finished_indexes_total', 'Indexes that have ended.', ['status', 'backoffLimit']),
    );
    this.#judged = registry.counter(
      named('pod_failures_handled_by_failure_policy_total', 'Failed pods that a rule of a failure policy is about.', [
        'action',
      ]),
    );
    this.#tracked = registry.counter(
      named('terminated_pods_tracking_finalizer_total', 'Ended pods that come to be tracked, or no longer are.', [
        'event',
      ]),
    );
    this.#elsewhere = registry.counter({
      ...named('jobs_by_external_controller_total', 'Jobs that another controller looks after.', ['controller_name']),
      maxChildren: 1000,
    });
  }

  synced(view: JobView, sync: { readonly action: SyncAction; readonly isFine: boolean; readonly ms: number }): void {
    const labels = { completion_mode: modeOf(view), result: sync.isFine ? 'success' : 'error', action: sync.action };
    this.#syncs.with(labels).add();
    this.#syncSeconds.with(labels).observe(sync.ms / 1000);
  }

  finished(view: JobView, { outcome, reason }: { readonly outcome: string; readonly reason: string }): void {
    this.#finished.with({ completion_mode: modeOf(view), result: outcome, reason }).add();
  }

  /** Counts the growth of the status counts since the last write. */
  counted(view: JobView, before: Counts, after: Counts): void {
    const completion_mode = modeOf(view);
    const indexes = (text: string | undefined): number => IndexSet.parse(text ?? '', view.completions ?? 0).size;
    const grown = (was: number, is: number): number => Math.max(0, is - was);
    const failed = grown(before.failed ?? 0, after.failed ?? 0);
    let succeeded = grown(before.succeeded ?? 0, after.succeeded ?? 0);
    if (view.isIndexed) {
      const backoffLimit = view.indexLimit === undefined ? 'global' : 'perIndex';
      succeeded = grown(indexes(before.completedIndexes), indexes(after.completedIndexes));
      this.#indexes.with({ status: 'succeeded', backoffLimit }).add(succeeded);
      const lost = grown(indexes(before.failedIndexes), indexes(after.failedIndexes));
      if (lost > 0) this.#indexes.with({ status: 'failed', backoffLimit }).add(lost);
    }
    this.#podsFinished.with({ completion_mode, result: 'succeeded' }).add(succeeded);
    this.#podsFinished.with({ completion_mode, result: 'failed' }).add(failed);
  }

  created(view: JobView, tally: PodTally, pods: { readonly succeeded: number; readonly failed: number }): void {
    const reason =
      view.spec.podReplacementPolicy === 'Failed' && tally.failed > 0
        ? 'recreate_failed'
        : tally.failed > 0 || tally.pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined)
          ? 'recreate_terminating_or_failed'
          : 'new';
    for (const [status, count] of Object.entries(pods))
      if (count > 0) this.#podsCreated.with({ reason, status }).add(count);
  }

  judged(action: string): void {
    this.#judged.with({ action }).add();
  }

  podChanged(pod: Observed<Pod> | undefined, old: Observed<Pod> | undefined): void {
    const was = old !== undefined && isTracked(old) && isFinished(old);
    const is = pod !== undefined && isTracked(pod) && isFinished(pod);
    if (was !== is) this.#tracked.with({ event: is ? 'add' : 'delete' }).add();
  }

  managedBy(controller: string): void {
    this.#elsewhere.with({ controller_name: controller }).add();
  }
}

function modeOf({ isIndexed }: JobView): string {
  return isIndexed ? 'Indexed' : 'NonIndexed';
}
