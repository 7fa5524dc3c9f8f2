import type { Resource } from '../../apiserver/index.ts';

const KINDS: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/** Objects that configure admission are never shown to webhooks or policies: nobody can lock the way to repair them. */
export function isConfiguration({ group, kind }: Pick<Resource, 'group' | 'kind'>): boolean {
  return group === 'admissionregistration.k8s.io' && KINDS.has(kind);
}
