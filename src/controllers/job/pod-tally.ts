import { isActive } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { judgeFailure } from './failure-policy.ts';
import { hasFailed, hasSucceeded, isTracked, validIndexOf } from './job-pod.ts';
import type { JobView } from './job-view.ts';

/** The pods of a Job by state. */
export interface PodTally {
  readonly pods: readonly Observed<Pod>[];
  readonly active: readonly Observed<Pod>[];
  /** Finished pods that are not in the status yet. */
  readonly newlySucceeded: readonly Observed<Pod>[];
  readonly newlyFailed: readonly Observed<Pod>[];
  /** All successes so far; for an indexed Job, the succeeded indexes. */
  readonly succeeded: number;
  /** All failures so far, without those that the policy ignores. */
  readonly failed: number;
}

export function tallyPods(view: JobView, pods: readonly Observed<Pod>[]): PodTally {
  const { job, spec, isIndexed } = view;
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted } = job.status ?? {};
  const uncountedSucceeded = uncounted?.succeeded ?? [];
  const uncountedFailed = uncounted?.failed ?? [];
  const open = pods.filter((pod) => isTracked(pod) && (!isIndexed || validIndexOf(pod, view) !== undefined));
  const without = (uids: readonly string[]): typeof open => {
    const known = new Set(uids);
    return open.filter(({ metadata }) => !known.has(metadata.uid));
  };
  const newlySucceeded = without(uncountedSucceeded).filter(hasSucceeded);
  const newlyFailed = without(uncountedFailed).filter((pod) => hasFailed(pod, view));
  const counted = newlyFailed.filter((pod) => judgeFailure(spec.podFailurePolicy, pod).action !== 'Ignore');
  return {
    pods,
    active: pods.filter(isActive),
    newlySucceeded,
    newlyFailed,
    succeeded: succeeded + newlySucceeded.length + uncountedSucceeded.length,
    failed: failed + counted.length + uncountedFailed.length,
  };
}
