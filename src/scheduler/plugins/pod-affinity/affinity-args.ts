import { type FieldError, invalidValue } from '../../../api/index.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

/** The settings of InterPodAffinity, as in InterPodAffinityArgs. */
export interface AffinityArgs {
  /** How much a required term of a pod on a node counts as a preference of a new pod that it is about; 1 unless given. */
  readonly hardPodAffinityWeight?: number;
  /** Leaves out what pods on nodes prefer, for new pods that have no preferences themselves. */
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

/** Reads what a profile says for InterPodAffinity. */
export function readAffinityArgs(args: unknown): Required<AffinityArgs> {
  const given = (args ?? {}) as AffinityArgs;
  refuseArguments('InterPodAffinity', affinityArgsErrors(given));
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = given;
  return { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods };
}

/** What is wrong with the settings, in kube-scheduler's words. */
export function affinityArgsErrors({ hardPodAffinityWeight = 1 }: AffinityArgs, path = ''): FieldError[] {
  if (hardPodAffinityWeight >= 0 && hardPodAffinityWeight <= 100) return [];
  return [invalidValue(childPath(path, 'hardPodAffinityWeight'), hardPodAffinityWeight, 'not in valid range [0, 100]')];
}
