import { controllerOf } from '../../api/meaning/index.ts';
import { hasReason, Job, keyOf, type Observed, type Pod } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { isTracked, untracking } from './job-pod.ts';
import { isJobFinished, isManagedElsewhere } from './job-view.ts';

/** Pods of Jobs, and Jobs. */
export interface JobsAndPods {
  readonly jobs: Objects<Job>;
  readonly pods: Objects<Pod>;
}

/** The Job that controls the pod, if it exists. */
export function jobOf({ metadata, ...pod }: Observed<Pod>, jobs: Objects<Job>): Observed<Job> | undefined {
  const reference = controllerOf({ metadata, ...pod });
  if (reference?.kind !== Job.kind) return undefined;
  const job = jobs.get(`${metadata.namespace ?? ''}/${reference.name}`);
  return job?.metadata.uid === reference.uid ? job : undefined;
}

/** Whether no Job will count the pod: it has no controller, or its Job is gone or finished. */
function isUncounted(pod: Observed<Pod>, jobs: Objects<Job>): boolean {
  if (!isTracked(pod)) return false;
  const reference = controllerOf(pod);
  if (reference === undefined) return true;
  if (reference.kind !== Job.kind || reference.apiVersion !== Job.apiVersion) return false;
  const job = jobOf(pod, jobs);
  return job === undefined || (isJobFinished(job) && !isManagedElsewhere(job));
}

/** Whether the finalizer may have to be removed: a pod that is not being deleted waits until its Job is observed. */
export function isAbandoned(pod: Observed<Pod>, jobs: Objects<Job>): boolean {
  const isLeaving = controllerOf(pod) === undefined || pod.metadata.deletionTimestamp !== undefined;
  return isLeaving && isUncounted(pod, jobs);
}

/** Removes the tracking finalizer of a pod that no Job counts any more. */
export async function releaseAbandoned(key: string, { jobs, pods }: JobsAndPods): Promise<void> {
  const pod = pods.get(key);
  if (pod === undefined || !isUncounted(pod, jobs)) return;
  try {
    await pods.patch(keyOf(pod), untracking());
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}
