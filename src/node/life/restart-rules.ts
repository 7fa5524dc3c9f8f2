import type { ContainerSpec, PodSpec } from './pod-view.ts';

/** Whether a container that ended with this code starts again, by its own rules, its own policy, or the pod's. */
export function shouldRestart(container: ContainerSpec, spec: PodSpec, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    const rule = (container.restartPolicyRules ?? []).find(({ exitCodes }) => matches(exitCodes, exitCode));
    if (rule?.action === 'Restart' || rule?.action === 'RestartAllContainers') return true;
    if (isPolicy(container.restartPolicy)) return byPolicy(container.restartPolicy, exitCode);
  }
  return byPolicy(spec.restartPolicy ?? 'Always', exitCode);
}

/** Whether a container that ended with this code makes all containers of the pod start over. */
export function restartsAll(container: ContainerSpec, exitCode: number): boolean {
  if (container.restartPolicy === undefined) return false;
  const rule = (container.restartPolicyRules ?? []).find(({ exitCodes }) => matches(exitCodes, exitCode));
  return rule?.action === 'RestartAllContainers';
}

/** Whether any container of the pod may make all of them start over. */
export function couldRestartAll(spec: PodSpec): boolean {
  return [...(spec.initContainers ?? []), ...spec.containers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

type ExitCodes = NonNullable<ContainerSpec['restartPolicyRules']>[number]['exitCodes'];

function matches(exitCodes: ExitCodes, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  const isListed = exitCodes.values?.includes(exitCode) ?? false;
  return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
}

function isPolicy(text: string): text is 'Always' | 'OnFailure' | 'Never' {
  return text === 'Always' || text === 'OnFailure' || text === 'Never';
}

function byPolicy(policy: 'Always' | 'OnFailure' | 'Never', exitCode: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
