import { isAssigned, isReady, readySince } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { indexOf } from './job-pod.ts';
import type { JobView } from './job-view.ts';

const PHASES = ['Pending', 'Unknown', 'Running'];

/** The active pods to delete: those with a duplicate or missing index, and further ones up to `count`. */
export function podsToRemove(view: JobView, active: readonly Observed<Pod>[], count: number): readonly Observed<Pod>[] {
  const ordered = active.toSorted(compare);
  if (!view.isIndexed) return ordered.slice(0, count);
  const last = new Map(ordered.map((pod) => [indexOf(pod), pod]));
  const isSurplus = (pod: Observed<Pod>): boolean => {
    const index = indexOf(pod);
    return index === undefined || index >= (view.completions ?? 0) || last.get(index) !== pod;
  };
  const surplus = ordered.filter(isSurplus);
  const others = ordered.filter((pod) => !isSurplus(pod));
  return [...surplus, ...others.slice(0, Math.max(0, count - surplus.length))];
}

/** Negative when the first is less far along, and is deleted first. */
function compare(left: Observed<Pod>, right: Observed<Pod>): number {
  return (
    Number(isAssigned(left)) - Number(isAssigned(right)) ||
    phaseOf(left) - phaseOf(right) ||
    Number(isReady(left)) - Number(isReady(right)) ||
    (readySince(right) ?? Infinity) - (readySince(left) ?? Infinity) ||
    restartsOf(right) - restartsOf(left) ||
    Date.parse(right.metadata.creationTimestamp) - Date.parse(left.metadata.creationTimestamp)
  );
}

function phaseOf({ status }: Observed<Pod>): number {
  return PHASES.indexOf(status?.phase ?? '');
}

function restartsOf({ status }: Observed<Pod>): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0));
}
