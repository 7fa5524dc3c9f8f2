import { duplicate, type FieldError, invalidValue, required } from '../../api/index.ts';
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, column, each, integer, nameColumn, UNSET } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import {
  checkMatch,
  checkMutated,
  checkMutatingPolicy,
  checkParamRef,
  checkPolicyStatus,
  checkValidatingPolicy,
} from './policy-rules.ts';
import { firstIndexes } from '../first-indexes.ts';

const paramKindColumn: Column<Policy> = column('ParamKind', 'Kind of the parameters', paramKind);

/** For bindings of mutating and validating policies. */
const admissionPolicyBindingColumns: readonly Column<PolicyBinding>[] = [
  nameColumn,
  column('PolicyName', 'Policy that it puts to work', ({ spec }) => spec?.policyName ?? ''),
  column('ParamRef', 'Which parameters the policy gets', paramRef),
  ageColumn,
];

const GROUP = 'admissionregistration.k8s.io';

function alphaWarning(kind: string): string {
  return `admissionregistration.k8s.io/v1alpha1 ${kind} is deprecated in v1.35+, unavailable in v1.38+`;
}

/** Admission rules in CEL, and their bindings. */
export const validatingAdmissionPolicies = defineKind<ValidatingAdmissionPolicy>({
  changeSteps: ['metadata', 'object'],
  statusSteps: ['object'],
  group: GROUP,
  allowsAnyFinalizer: true,
  plural: 'validatingadmissionpolicies',
  columns: [
    nameColumn,
    integer('Validations', 'How many rules it has', ({ spec }) => each(spec?.validations).length),
    paramKindColumn,
    ageColumn,
  ],
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.auditAnnotations.key', 'spec.variables.name'],
  validate: checkValidatingPolicy,
  validateStatus: checkPolicyStatus,
});

export const validatingAdmissionPolicyBindings = defineKind<ValidatingAdmissionPolicyBinding>({
  changeSteps: ['metadata', 'object'],
  group: GROUP,
  allowsAnyFinalizer: true,
  plural: 'validatingadmissionpolicybindings',
  columns: admissionPolicyBindingColumns,
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkValidatingBinding,
});

export const mutatingAdmissionPolicies = defineKind<MutatingAdmissionPolicy>({
  changeSteps: ['metadata', 'object'],
  group: GROUP,
  allowsAnyFinalizer: true,
  plural: 'mutatingadmissionpolicies',
  columns: [
    nameColumn,
    integer('Mutations', 'How many changes it makes', ({ spec }) => each(spec?.mutations).length),
    paramKindColumn,
    ageColumn,
  ],
  storedVersion: 'v1beta1',
  announcedVersions: ['v1alpha1@..1.34', 'v1@1.37'],
  deprecations: { v1alpha1: alphaWarning('MutatingAdmissionPolicy') },
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.variables.name'],
  validate: checkMutatingPolicy,
});

export const mutatingAdmissionPolicyBindings = defineKind<MutatingAdmissionPolicyBinding>({
  changeSteps: ['metadata', 'object'],
  group: GROUP,
  allowsAnyFinalizer: true,
  plural: 'mutatingadmissionpolicybindings',
  columns: admissionPolicyBindingColumns,
  storedVersion: 'v1beta1',
  announcedVersions: ['v1alpha1@..1.34', 'v1@1.37'],
  deprecations: { v1alpha1: alphaWarning('MutatingAdmissionPolicyBinding') },
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkMutatingBinding,
});

function checkValidatingBinding({ spec }: Whole<ValidatingAdmissionPolicyBinding>): FieldError[] {
  const { validationActions: actions = [] } = spec;
  const field = 'spec.validationActions';
  const errors = [...checkBinding(spec)];
  const first = firstIndexes(actions);
  for (const [index, action] of actions.entries()) {
    if (first.get(action) !== index) errors.push(duplicate(`${field}[${index}]`, action));
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response ' +
      'and headers serves no purpose)';
    errors.push(invalidValue(field, actions, detail));
  }
  if (actions.length === 0) errors.push(required(field, 'at least one validation action is required'));
  return errors;
}

function checkMutatingBinding({ spec }: Whole<MutatingAdmissionPolicyBinding>): FieldError[] {
  return [...checkBinding(spec), ...checkMutated(spec.matchResources, 'spec.matchResources')];
}

interface Binding {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

function checkBinding({ policyName, paramRef, matchResources }: Binding): FieldError[] {
  return [
    ...((policyName ?? '') === '' ? [required('spec.policyName')] : []),
    ...checkParamRef(paramRef, 'spec.paramRef'),
    ...checkMatch(matchResources, 'spec.matchResources'),
  ];
}

type Policy = MutatingAdmissionPolicy | ValidatingAdmissionPolicy;

type PolicyBinding = MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding;

function paramKind({ spec }: Policy): string {
  const asked = spec?.paramKind;
  return asked === undefined ? UNSET : `${asked.apiVersion ?? ''}/${asked.kind ?? ''}`;
}

function paramRef({ spec }: PolicyBinding): string {
  const { name = '', namespace = '', selector } = spec?.paramRef ?? {};
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return selector === undefined ? UNSET : printedSelector(selector);
}

/** As Go prints the struct, which is what Kubernetes shows here. */
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
