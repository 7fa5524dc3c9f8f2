import type { PodInfo } from '../../cache/pod-info.ts';
import type { Victims } from '../../framework/extender.ts';
import { startOf } from './select-victims.ts';

/** A node on which preemption would make room, with its victims. */
export interface Candidate extends Victims {
  readonly nodeName: string;
}

/** Shifts all priorities above zero, so that fewer victims are better even with negative priorities. */
const PRIORITY_OFFSET = 2 ** 31;

/** Costs in order of precedence: a later one is compared only when those before it are equal. */
const costs: readonly ((candidate: Candidate) => number)[] = [
  ({ budgetViolations }) => budgetViolations,
  ({ pods }) => highestOf(pods),
  ({ pods }) => pods.reduce((sum, { priority }) => sum + priority + PRIORITY_OFFSET, 0),
  ({ pods }) => pods.length,
];

/** The candidates with the lowest cost; several when they are equal in all costs. */
export function bestCandidates(candidates: readonly Candidate[]): readonly Candidate[] {
  let best = candidates;
  for (const cost of costs) {
    if (best.length <= 1) return best;
    const lowest = Math.min(...best.map(cost));
    best = best.filter((candidate) => cost(candidate) === lowest);
  }
  return startedLast(best);
}

/** The candidates whose highest-priority victims started last. */
function startedLast(candidates: readonly Candidate[]): readonly Candidate[] {
  const starts = candidates.map(earliestStart);
  const latest = starts.reduce((one, other) => (one > other ? one : other), '');
  return candidates.filter((_, index) => starts[index] === latest);
}

/** The earliest start of the victims with the highest priority. */
function earliestStart({ pods }: Candidate): string {
  const highest = highestOf(pods);
  const starts = pods.filter(({ priority }) => priority === highest).map(startOf);
  return starts.reduce((one, other) => (one < other ? one : other));
}

function highestOf(pods: readonly PodInfo[]): number {
  return Math.max(...pods.map(({ priority }) => priority));
}
