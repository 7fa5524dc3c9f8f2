import type { PodInfo } from '../../cache/pod-info.ts';
import type { Victims } from '../../framework/extender.ts';
import type { NodeTrial } from '../../framework/plugin.ts';
import { type Rejection, unresolvable } from '../../framework/rejection.ts';
import { type budgetsOf, splitByBudgets } from './disruption-budgets.ts';

const NO_VICTIMS = unresolvable('DefaultPreemption', 'No preemption victims found for incoming pod');
/** Start time of pods that have not started: sorts after all others. */
const NOT_STARTED = '~';

/**
 * The victims on the node that make room for the pod: as few pods of lower priority as possible, the least important
 * ones, preferring pods that no disruption budget protects. Returns a rejection when the pod does not fit even without
 * all of them.
 */
export function selectVictims(
  pod: PodInfo,
  trial: NodeTrial,
  budgets: ReturnType<typeof budgetsOf>,
): Victims | Rejection {
  const lower = trial.node.pods.filter((other) => mayBePreempted(other, pod));
  if (lower.length === 0) return NO_VICTIMS;
  for (const other of lower) trial.remove(other);
  const rejection = trial.filter();
  if (rejection !== undefined) return rejection;
  const byImportance = lower.toSorted(compareImportance);
  const { violating, others } = splitByBudgets(byImportance, budgets);
  const mustGo = (other: PodInfo): boolean => {
    trial.add(other);
    if (trial.filter() === undefined) return false;
    trial.remove(other);
    return true;
  };
  const violatingVictims = violating.filter(mustGo);
  const otherVictims = others.filter(mustGo);
  const pods = [...violatingVictims, ...otherVictims];
  if (violating.length > 0 && others.length > 0) pods.sort(compareImportance);
  return { pods, budgetViolations: violatingVictims.length };
}

export function mayBePreempted(victim: PodInfo, preemptor: PodInfo): boolean {
  return victim.priority < preemptor.priority;
}

/** Sorts by importance: higher priority first, then earlier start. */
function compareImportance(first: PodInfo, second: PodInfo): number {
  if (first.priority !== second.priority) return second.priority - first.priority;
  const [one, other] = [startOf(first), startOf(second)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The pod's start time as a sortable string. */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? NOT_STARTED;
}
