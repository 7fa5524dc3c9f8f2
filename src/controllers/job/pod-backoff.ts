import { millisOfGoSeconds } from '../../api/client.ts';
import { isSidecar, readyCondition } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';

const INITIAL_MS = 10_000;
const MAX_MS = 600_000;

/** The failures since the last success, and the time of the last one. */
export interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

export const NO_FAILURES: Failures = { count: 0, lastMs: 0 };

/** Adds newly finished pods. A success resets the count. */
export function withEnded(
  before: Failures,
  { succeeded, failed }: { readonly succeeded: readonly Observed<Pod>[]; readonly failed: readonly Observed<Pod>[] },
): Failures {
  const failedMs = failed.map(finishedMs);
  const lastSuccessMs = Math.max(...succeeded.map(finishedMs));
  const counted = failedMs.filter((ms) => ms > lastSuccessMs);
  if (succeeded.length > 0) return { count: counted.length, lastMs: Math.max(0, ...counted) };
  return failed.length === 0 ? before : { count: before.count + failed.length, lastMs: Math.max(...failedMs) };
}

/** Milliseconds until the next pod may be created: 10 s after the first failure, doubling up to 10 minutes. */
export function backoffMs({ count, lastMs }: Failures, nowMs: number): number {
  if (count === 0) return 0;
  const wholeMs = Math.min(INITIAL_MS * 2 ** (count - 1), MAX_MS);
  return Math.max(0, wholeMs - (nowMs - lastMs));
}

/** When the pod finished, as precisely as its status says. */
export function finishedMs(pod: Observed<Pod>): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const ready = readyCondition(pod);
  const notReadySince = ready?.status === 'False' ? ready.lastTransitionTime : undefined;
  const containersMs = containersFinishedMs(pod);
  if (containersMs !== undefined) return containersMs;
  if (notReadySince !== undefined) return Date.parse(notReadySince);
  if (deletionTimestamp !== undefined)
    return Date.parse(deletionTimestamp) - millisOfGoSeconds(deletionGracePeriodSeconds);
  return Date.parse(creationTimestamp);
}

/** When the last container finished, including sidecars; undefined while one runs, or none is known. */
function containersFinishedMs({ spec, status }: Observed<Pod>): number | undefined {
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const containers = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const ends = containers.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  return ends.length === 0 || ends.some(Number.isNaN) ? undefined : Math.max(...ends);
}
