import { expect, test } from 'vitest';
import type { AdmissionAttributes } from '../../apiserver/index.ts';
import { AuditValues, reportFailure } from './policy-audit.ts';

function annotated(): { readonly attributes: AdmissionAttributes; readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  const annotate = (key: string, value: string): unknown => values.set(key, value);
  return { attributes: { annotate } as unknown as AdmissionAttributes, values };
}

test('the values that bindings yield for one key are reported together, each once', () => {
  const { attributes, values } = annotated();
  const audit = new AuditValues();
  for (const value of ['one', 'two', 'one']) audit.add('policy', 'key', value);
  audit.add('policy', 'long', 'x'.repeat(20_000));
  audit.publish(attributes);
  expect(values.get('policy/key')).toBe('one, two');
  expect(values.get('policy/long')).toHaveLength(10_240);
});

test('a failed validation is reported with its policy, binding and actions', () => {
  const { attributes, values } = annotated();
  const spec = { policyName: 'p', validationActions: ['Audit'] };
  reportFailure(attributes, { metadata: { name: 'b' }, spec }, { index: 2, message: 'no' });
  expect(values.get('validation.policy.admission.k8s.io/validation_failure')).toBe(
    '[{"message":"no","policy":"p","binding":"b","expressionIndex":2,"validationActions":["Audit"]}]',
  );
});
