import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Diagnosis } from '../../framework/diagnosis.ts';
import type { PostFilterContext } from '../../framework/plugin.ts';
import type { Candidate } from './choose-candidate.ts';
import type { budgetsOf } from './disruption-budgets.ts';
import { selectVictims } from './select-victims.ts';

export interface CandidateSearch {
  readonly context: PostFilterContext;
  readonly budgets: ReturnType<typeof budgetsOf>;
  /** The nodes to try. */
  readonly nodes: readonly NodeInfo[];
  /** Index of the node to start with. */
  readonly start: number;
  /** The search ends after this many candidates, if one of them violates no budget. */
  readonly wanted: number;
}

/** The candidates, those without budget violations first; if there are none, the rejections of the nodes. */
export interface FoundCandidates {
  readonly candidates: readonly Candidate[];
  readonly diagnosis: Diagnosis;
}

/** Tries one node after the other to find victims. Throws when a plugin fails and there is no candidate. */
export function findCandidates(pod: PodInfo, search: CandidateSearch): FoundCandidates {
  const { context, budgets, nodes, start, wanted } = search;
  const diagnosis = new Diagnosis();
  const harmless: Candidate[] = [];
  const violating: Candidate[] = [];
  let failure: unknown;
  for (let tried = 0; tried < nodes.length; tried++) {
    const node = nodes[(start + tried) % nodes.length] as NodeInfo;
    try {
      const found = selectVictims(pod, context.trial(node), budgets);
      if ('code' in found) {
        diagnosis.reject(node.name, found);
        continue;
      }
      if (found.pods.length === 0) throw new Error(`expected at least one victim pod on node "${node.name}"`);
      (found.budgetViolations === 0 ? harmless : violating).push({ nodeName: node.name, ...found });
    } catch (error) {
      failure ??= error;
    }
    if (harmless.length > 0 && harmless.length + violating.length >= wanted) break;
  }
  const candidates = [...harmless, ...violating];
  if (candidates.length === 0 && failure !== undefined) throw failure;
  return { candidates, diagnosis };
}
