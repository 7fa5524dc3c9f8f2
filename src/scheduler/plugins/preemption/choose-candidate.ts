import type { PodInfo } from '../../cache/pod-info.ts';
import type { Victims } from '../../framework/extender.ts';
import { startOf } from './select-victims.ts';

/** A node on which pods could make room. */
export interface Candidate extends Victims {
  readonly nodeName: string;
}

/** Makes all priorities positive, so that fewer victims are better even if their priorities are negative. */
const PRIORITY_OFFSET = 2 ** 31;

/** What is lower on the better node; a later one counts only where those before it are equal. */
const costs: readonly ((candidate: Candidate) => number)[] = [
  ({ budgetViolations }) => budgetViolations,
  ({ pods }) => highestOf(pods),
  ({ pods }) => pods.reduce((sum, { priority }) => sum + priority + PRIORITY_OFFSET, 0),
  ({ pods }) => pods.length,
];

/** The candidates that do the least harm; several when nothing tells them apart. */
export function bestCandidates(candidates: readonly Candidate[]): readonly Candidate[] {
  let best = candidates;
  for (const cost of costs) {
    if (best.length <= 1) return best;
    const lowest = Math.min(...best.map(cost));
    best = best.filter((candidate) => cost(candidate) === lowest);
  }
  return startedLast(best);
}

/** Those whose most important victims were started last. */
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
