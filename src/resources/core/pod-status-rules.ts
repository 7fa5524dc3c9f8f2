import { dns1123SubdomainProblems, forbiddenField, invalidValue, legacyIpProblems } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { ContainerStatus, Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

/** The rules for a pod's status, which its node writes. */
export function checkPodStatusUpdate(pod: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const { status } = pod;
  const errors: FieldError[] = [];
  const nominated = status.nominatedNodeName ?? '';
  if (nominated !== '' && nominated !== (old.status.nominatedNodeName ?? '')) {
    const field = 'status.nominatedNodeName';
    for (const problem of dns1123SubdomainProblems(nominated)) errors.push(invalidValue(field, nominated, problem));
    if ((old.spec.nodeName ?? '') !== '') {
      errors.push(forbiddenField(field, 'may not be set on pods that are already bound to a node'));
    }
  }
  if ((status.observedGeneration ?? 0) < 0) {
    errors.push(invalidValue('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer'));
  }
  if ((status.qosClass ?? '') !== (old.status.qosClass ?? '')) {
    errors.push(invalidValue('status.qosClass', status.qosClass ?? '', 'field is immutable'));
  }
  return [
    ...errors,
    ...checkTransitions(status.containerStatuses ?? [], old.status.containerStatuses ?? [], old.spec),
    ...checkIps(pod, old),
  ];
}

/** A terminated container that must not restart cannot run again. */
function checkTransitions(
  now: readonly ContainerStatus[],
  was: readonly ContainerStatus[],
  spec: PodSpec,
): FieldError[] {
  if (couldAllRestart(spec)) return [];
  return was.flatMap(({ name, state }, index) => {
    if (state?.terminated === undefined) return [];
    const next = now.find((status) => status.name === name);
    if (next === undefined || next.state?.terminated !== undefined) return [];
    if (mayRestart(name, state.terminated.exitCode, spec)) return [];
    const field = `status.containerStatuses[${index}].state`;
    return [forbiddenField(field, 'may not be transitioned to non-terminated state')];
  });
}

/** A restart rule of any container may restart all of them. */
function couldAllRestart(spec: PodSpec): boolean {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

function mayRestart(name: string, exitCode: number, spec: PodSpec): boolean {
  const container = (spec.containers ?? []).find((candidate) => candidate.name === name);
  const rules = container?.restartPolicyRules ?? [];
  for (const { action, exitCodes } of rules) {
    const isListed = (exitCodes?.values ?? []).includes(exitCode);
    const applies = exitCodes?.operator === 'NotIn' ? !isListed : isListed;
    if (applies) return action === 'Restart' || action === 'RestartAllContainers';
  }
  const policy = container?.restartPolicy ?? spec.restartPolicy;
  if (policy === 'Always') return true;
  return policy === 'OnFailure' && exitCode !== 0;
}

function checkIps({ status }: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const check = (list: 'podIPs' | 'hostIPs'): FieldError[] => {
    const known = new Set((old.status[list] ?? []).map(({ ip }) => ip));
    const addresses = status[list] ?? [];
    const errors = addresses.flatMap(({ ip = '' }, index) =>
      known.has(ip) ? [] : legacyIpProblems(ip).map((problem) => invalidValue(`status.${list}[${index}]`, ip, problem)),
    );
    if (addresses.length > 2) {
      errors.push(invalidValue(`status.${list}`, addresses, 'may specify no more than one IP for each IP family'));
    }
    return errors;
  };
  return [...check('podIPs'), ...check('hostIPs')];
}
