import { type FieldError, invalidValue } from '../../../api/index.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

/** The arguments of DefaultPreemption, as in DefaultPreemptionArgs. */
export interface PreemptionArgs {
  /** Minimum share of nodes to try, in percent; default 10. */
  readonly minCandidateNodesPercentage?: number;
  /** Minimum number of nodes to try; default 100. */
  readonly minCandidateNodesAbsolute?: number;
}

/** Reads the arguments of DefaultPreemption from a profile. */
export function readPreemptionArgs(args: unknown): Required<PreemptionArgs> {
  const given = (args ?? {}) as PreemptionArgs;
  refuseArguments('DefaultPreemption', preemptionArgsErrors(given));
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = given;
  return { minCandidateNodesPercentage, minCandidateNodesAbsolute };
}

/** Validates the arguments, in kube-scheduler's words. */
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

/** The number of candidates that ends the search. */
export function candidatesToFind(nodeCount: number, args: Required<PreemptionArgs>): number {
  const share = Math.floor((nodeCount * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodeCount, Math.max(share, args.minCandidateNodesAbsolute));
}
