import { type FieldError, invalidValue } from '../../../api/index.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

/** The settings of DefaultPreemption, as in DefaultPreemptionArgs. */
export interface PreemptionArgs {
  /** At least this share of the nodes in question is tried, in percent; 10 unless given. */
  readonly minCandidateNodesPercentage?: number;
  /** At least so many nodes are tried; 100 unless given. */
  readonly minCandidateNodesAbsolute?: number;
}

/** Reads what a profile says for DefaultPreemption. */
export function readPreemptionArgs(args: unknown): Required<PreemptionArgs> {
  const given = (args ?? {}) as PreemptionArgs;
  refuseArguments('DefaultPreemption', preemptionArgsErrors(given));
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = given;
  return { minCandidateNodesPercentage, minCandidateNodesAbsolute };
}

/** What is wrong with the settings, in kube-scheduler's words. */
export function preemptionArgsErrors(args: PreemptionArgs, path = ''): FieldError[] {
  const { minCandidateNodesPercentage: percentage = 10, minCandidateNodesAbsolute: absolute = 100 } = args;
  const percentagePath = childPath(path, 'minCandidateNodesPercentage');
  const absolutePath = childPath(path, 'minCandidateNodesAbsolute');
  const errors: FieldError[] = [];
  if (!(percentage >= 0 && percentage <= 100))
    errors.push(invalidValue(percentagePath, percentage, 'not in valid range [0, 100]'));
  if (!(absolute >= 0)) errors.push(invalidValue(absolutePath, absolute, 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0) {
    const zeroWith = (other: string): string => `cannot be zero at the same time as ${other}`;
    errors.push(
      invalidValue(percentagePath, 0, zeroWith('minCandidateNodesAbsolute')),
      invalidValue(absolutePath, 0, zeroWith('minCandidateNodesPercentage')),
    );
  }
  return errors;
}

/** How many of the nodes in question have to offer victims before the best of them is taken. */
export function candidatesToFind(nodeCount: number, args: Required<PreemptionArgs>): number {
  const share = Math.floor((nodeCount * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodeCount, Math.max(share, args.minCandidateNodesAbsolute));
}
