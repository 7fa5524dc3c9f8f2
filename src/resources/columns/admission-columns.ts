import { compareUtf8 } from '../../base/index.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, integer, nameColumn, UNSET } from './column.ts';

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type Policy = MutatingAdmissionPolicy | ValidatingAdmissionPolicy;
type PolicyBinding = MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding;

/** Of mutating and validating webhooks alike. */
export const webhookConfigurationColumns: readonly Column[] = [
  nameColumn,
  integer<WebhookConfiguration>('Webhooks', 'How many webhooks it has', ({ webhooks }) => (webhooks ?? []).length),
  ageColumn,
];

const paramKindColumn: Column = column<Policy>('ParamKind', 'Kind of the parameters', paramKind);

export const validatingAdmissionPolicyColumns: readonly Column[] = [
  nameColumn,
  integer<ValidatingAdmissionPolicy>(
    'Validations',
    'How many rules it has',
    ({ spec }) => each(spec?.validations).length,
  ),
  paramKindColumn,
  ageColumn,
];

export const mutatingAdmissionPolicyColumns: readonly Column[] = [
  nameColumn,
  integer<MutatingAdmissionPolicy>(
    'Mutations',
    'How many changes it makes',
    ({ spec }) => each(spec?.mutations).length,
  ),
  paramKindColumn,
  ageColumn,
];

function paramKind({ spec }: Policy): string {
  const asked = spec?.paramKind;
  return asked === undefined ? UNSET : `${asked.apiVersion ?? ''}/${asked.kind ?? ''}`;
}

/** Of bindings of mutating and validating policies alike. */
export const admissionPolicyBindingColumns: readonly Column[] = [
  nameColumn,
  column<PolicyBinding>('PolicyName', 'Policy that it puts to work', ({ spec }) => spec?.policyName ?? ''),
  column<PolicyBinding>('ParamRef', 'Which parameters the policy gets', paramRef),
  ageColumn,
];

function paramRef({ spec }: PolicyBinding): string {
  const { name = '', namespace = '', selector } = spec?.paramRef ?? {};
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return selector === undefined ? UNSET : printedSelector(selector);
}

/** As Go prints the object itself, which is what Kubernetes shows here. */
function printedSelector({ matchLabels = {}, matchExpressions }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort(compareUtf8)
    .map((name) => `${name}: ${matchLabels[name] ?? ''},`);
  const expressions = each(matchExpressions).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${each(values).join(' ')}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
  );
}
