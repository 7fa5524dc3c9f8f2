import type { AdmissionAttributes } from '../../apiserver/index.ts';
import type { PolicyBinding } from './policy-sources.ts';
import type { Objection } from './validating-policy.ts';

const MAX_VALUE_BYTES = 10 * 1024;

/** The audit annotations of policies. Different values of one key, by binding or parameter, are joined. */
export class AuditValues {
  readonly #values = new Map<string, Set<string>>();

  add(policy: string, key: string, value: string): void {
    const name = `${policy}/${key}`;
    const values = this.#values.get(name) ?? new Set();
    this.#values.set(name, values.add(cut(value)));
  }

  publish(attributes: AdmissionAttributes): void {
    for (const [name, values] of this.#values) attributes.annotate(name, [...values].join(', '));
  }
}

function cut(value: string): string {
  return Buffer.byteLength(value) <= MAX_VALUE_BYTES
    ? value
    : Buffer.from(value).subarray(0, MAX_VALUE_BYTES).toString();
}

/** Records a failed validation in the audit event, for bindings with the action `Audit`. */
export function reportFailure(
  attributes: AdmissionAttributes,
  { metadata, spec }: PolicyBinding & { readonly spec: { readonly validationActions?: readonly string[] } },
  { index, message }: Objection,
): void {
  const failure = {
    message,
    policy: spec.policyName,
    binding: metadata.name,
    expressionIndex: index,
    validationActions: spec.validationActions,
  };
  attributes.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([failure]));
}
