import type { PodInfo } from '../../cache/pod-info.ts';
import type { Victims } from '../../framework/extender.ts';
import type { NodeTrial } from '../../framework/plugin.ts';
import { type Rejection, unresolvable } from '../../framework/rejection.ts';
import { type budgetsOf, splitByBudgets } from './disruption-budgets.ts';

const NO_VICTIMS = unresolvable('DefaultPreemption', 'No preemption victims found for incoming pod');
/** The start of pods that have not started yet: after that of all others. */
const NOT_STARTED = '~';

/**
 * The pods that have to go from the node so that the pod finds room: of those with lower priority as few and as unimportant
 * as possible, and rather such as no disruption budget protects. A rejection says what is in the way even without them.
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

/** The more important pod first: the one with the higher priority, then the one that has run for longer. */
function compareImportance(first: PodInfo, second: PodInfo): number {
  if (first.priority !== second.priority) return second.priority - first.priority;
  const [one, other] = [startOf(first), startOf(second)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** When the pod was started, as a text that sorts like the time. */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? NOT_STARTED;
}
