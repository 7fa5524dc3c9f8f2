import { type FieldError, invalidValue } from '../../../api/index.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

/** The arguments of InterPodAffinity, as in InterPodAffinityArgs. */
export interface AffinityArgs {
  /** The weight of an existing pod's required affinity term when an incoming pod is scored; default 1. */
  readonly hardPodAffinityWeight?: number;
  /** Ignores the preferred terms of existing pods for incoming pods without preferred terms. */
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

/** Reads the arguments of InterPodAffinity from a profile. */
export function readAffinityArgs(args: unknown): Required<AffinityArgs> {
  const given = (args ?? {}) as AffinityArgs;
  refuseArguments('InterPodAffinity', affinityArgsErrors(given));
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = given;
  return { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods };
}

/** Validates the arguments, in kube-scheduler's words. */
export function affinityArgsErrors({ hardPodAffinityWeight = 1 }: AffinityArgs, path = ''): FieldError[] {
  if (hardPodAffinityWeight >= 0 && hardPodAffinityWeight <= 100) return [];
  return [invalidValue(childPath(path, 'hardPodAffinityWeight'), hardPodAffinityWeight, 'not in valid range [0, 100]')];
}
