import { forbidden, type StatusError } from '../../api/index.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';

/**
 * A refusal as plugins word it, whose code and reason may be replaced. Objects without a name are named by
 * generateName.
 */
export function refused({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return forbidden({ group: resource.group, resource: resource.plural }, name || own || generateName || 'Unknown', why);
}

/** Kinds that policies never apply to: their own, and access reviews on which everything else depends. */
const EXEMPT: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

export function isExempt({ group, plural }: AdmissionAttributes['resource']): boolean {
  return EXEMPT.has(`${group}/${plural}`);
}
