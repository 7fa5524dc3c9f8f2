import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../api/types/batch/v1.d.ts';
import type { ContainerStatus, Pod } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

export interface FailureVerdict {
  readonly action: PodFailurePolicyRule['action'] | undefined;
  /** Why the Job fails, if the rule's action is FailJob. */
  readonly message?: string;
}

/** The verdict of the first matching rule on a failed pod; a failure counts unless the action is Ignore. */
export function judgeFailure(policy: DeepReadonly<PodFailurePolicy> | undefined, pod: Observed<Pod>): FailureVerdict {
  for (const [position, rule] of (policy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod);
    if (match === undefined) continue;
    const { action } = rule;
    return action === 'FailJob'
      ? { action, message: `${match} matching ${action} rule at index ${position}` }
      : { action };
  }
  return { action: undefined };
}

/** Describes what matched the rule. */
function matchOf(
  { onExitCodes, onPodConditions }: DeepReadonly<PodFailurePolicyRule>,
  { metadata: { namespace = '', name }, status }: Observed<Pod>,
): string | undefined {
  if (onExitCodes !== undefined) {
    const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const container = containers.find((each) => isExitCodeOf(each, onExitCodes));
    if (container === undefined) return undefined;
    const { exitCode } = container.state?.terminated ?? {};
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
  }
  const condition = status?.conditions?.find((each) =>
    onPodConditions?.some((pattern) => each.type === pattern.type && each.status === pattern.status),
  );
  return condition === undefined ? undefined : `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function isExitCodeOf(
  { name, state }: DeepReadonly<ContainerStatus>,
  { containerName, operator, values }: DeepReadonly<PodFailurePolicyOnExitCodesRequirement>,
): boolean {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
  return values.includes(exitCode) === (operator === 'In');
}
