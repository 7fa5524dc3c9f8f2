import type { Job, JobSpec } from '../../api/types/batch/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { keyOf, type Observed } from '../../client/index.ts';

const JOB_CONTROLLER = 'kubernetes.io/job-controller';

/** A Job with its spec interpreted. */
export interface JobView {
  readonly job: Observed<Job>;
  readonly key: string;
  readonly spec: DeepReadonly<Partial<JobSpec>>;
  readonly isIndexed: boolean;
  readonly isSuspended: boolean;
  /** The required successes; undefined when one suffices and the pods coordinate among themselves. */
  readonly completions: number | undefined;
  readonly parallelism: number;
  readonly backoffLimit: number;
  /** The allowed failures per index, if they are counted by index. */
  readonly indexLimit: number | undefined;
  /** Whether a pod is replaced only after it has finished, not when its deletion starts. */
  readonly replacesOnlyFailed: boolean;
}

export function viewJob(job: Observed<Job>): JobView {
  const spec: DeepReadonly<Partial<JobSpec>> = job.spec ?? {};
  const isIndexed = spec.completionMode === 'Indexed';
  return {
    job,
    key: keyOf(job),
    spec,
    isIndexed,
    isSuspended: spec.suspend === true,
    completions: spec.completions,
    parallelism: spec.parallelism ?? 1,
    backoffLimit: spec.backoffLimit ?? 6,
    indexLimit: isIndexed ? spec.backoffLimitPerIndex : undefined,
    replacesOnlyFailed: spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined,
  };
}

/** Whether an external controller manages the Job. */
export function isManagedElsewhere({ spec }: Observed<Job>): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== JOB_CONTROLLER;
}

/** Whether the Job is complete or has failed. */
export function isJobFinished({ status }: Observed<Job>): boolean {
  const isEnd = (type: string): boolean => type === 'Complete' || type === 'Failed';
  return status?.conditions?.some((condition) => isEnd(condition.type) && condition.status === 'True') ?? false;
}
