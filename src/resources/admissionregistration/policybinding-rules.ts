import { duplicate, invalidValue, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  MatchResources,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkMatch, checkMutated, checkParamRef } from './policy-rules.ts';

export function checkValidatingBinding({ spec }: Whole<ValidatingAdmissionPolicyBinding>): FieldError[] {
  const { validationActions: actions = [] } = spec;
  const field = 'spec.validationActions';
  const errors = [...checkBinding(spec)];
  for (const [index, action] of actions.entries()) {
    if (actions.indexOf(action) < index) errors.push(duplicate(`${field}[${index}]`, action));
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

export function checkMutatingBinding({ spec }: Whole<MutatingAdmissionPolicyBinding>): FieldError[] {
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
