import { parseGoInteger, ValueError } from '../../api/client.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { type KubernetesObject, type Observed, type Patch, strategicPatch } from '../../client/index.ts';
import type { JobView } from './job-view.ts';

/** Keeps pods until the Job's status has counted them. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Both a label and an annotation. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const IGNORED_INDEX_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

const MAX_INT32 = 2n ** 31n - 1n;

export function isTracked({ metadata }: Observed<Pod>): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Whether the object is a Job or a tracked pod. */
export function isJobOrTracked(object: KubernetesObject | undefined): boolean {
  return object?.kind === 'Job' || (object?.metadata?.finalizers?.includes(TRACKING_FINALIZER) ?? false);
}

/** The patch that removes the tracking finalizer. */
export function untracking(): Patch {
  return strategicPatch({ metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } });
}

/** Whether the pod failed, or counts as failed because it is being deleted. */
export function hasFailed({ metadata, status }: Observed<Pod>, { replacesOnlyFailed }: JobView): boolean {
  if (status?.phase === 'Failed') return true;
  return !replacesOnlyFailed && metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

export function hasSucceeded({ status }: Observed<Pod>): boolean {
  return status?.phase === 'Succeeded';
}

/** The pod's completion index, valid or not. */
export function indexOf({ metadata }: Observed<Pod>): number | undefined {
  const value = parseGoInteger(metadata.annotations?.[COMPLETION_INDEX] ?? '', 'Atoi');
  return value instanceof ValueError || value < 0n ? undefined : Number(value);
}

/** The pod's completion index, if it is below the Job's completions. */
export function validIndexOf(pod: Observed<Pod>, { completions = 0 }: JobView): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < completions ? index : undefined;
}

/** How often pods of the index had failed when this one was created. */
export function failuresBefore({ metadata }: Observed<Pod>): { readonly counted: number; readonly ignored: number } {
  const read = (name: string): number => {
    const value = parseGoInteger(metadata.annotations?.[name] ?? '0', 'Atoi');
    return value instanceof ValueError || value < 0n || value > MAX_INT32 ? 0 : Number(value);
  };
  return { counted: read(INDEX_FAILURES), ignored: read(IGNORED_INDEX_FAILURES) };
}
