import { deepEqual } from '../../base/index.ts';
import type { ClusterState } from './cluster-state.ts';
import { differencesOf, STABLE } from './compare-states.ts';
import { type Problem, problemOf } from './problem.ts';
import type { Expected } from './run-result.ts';

/** What there is after a step. */
export interface StepEnd {
  readonly state: ClusterState;
  /** What is outside of the cluster; absent where the scenario does not say. */
  readonly outside?: unknown;
}

/** How the end of a step differs from that of the run without faults. */
export function stepProblems(
  step: string,
  { states, outside, volatility, isOutsideStable }: Expected,
  end: StepEnd,
): readonly Problem[] {
  const wanted = states.get(step);
  if (wanted === undefined) return [];
  const differences = differencesOf(wanted, end.state, volatility.get(step) ?? STABLE);
  const inside = differences.map((each) => problemOf(each, step));
  if (!('outside' in end) || !isOutsideStable || deepEqual(outside.get(step), end.outside)) return inside;
  const [before, now] = [outside.get(step), end.outside].map((each) => JSON.stringify(each));
  const message = `after step "${step}", outside is ${now} instead of ${before}`;
  return [...inside, { oracle: 'outside', message, subject: 'outside' }];
}
