import type { Resource } from '../../apiserver/index.ts';

const KINDS: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/**
 * Objects that configure admission are never sent to webhooks or policies, so that a broken configuration can always be
 * repaired.
 */
export function isConfiguration({ group, kind }: Pick<Resource, 'group' | 'kind'>): boolean {
  return group === 'admissionregistration.k8s.io' && KINDS.has(kind);
}
