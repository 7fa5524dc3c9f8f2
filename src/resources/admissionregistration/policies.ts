import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../api/types/admissionregistration/v1.d.ts';
import {
  admissionPolicyBindingColumns,
  mutatingAdmissionPolicyColumns,
  validatingAdmissionPolicyColumns,
} from '../columns/admission-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkMutatingPolicy, checkValidatingPolicy } from './policy-rules.ts';
import { checkMutatingBinding, checkValidatingBinding } from './policybinding-rules.ts';

const GROUP = 'admissionregistration.k8s.io';

function alphaWarning(kind: string): string {
  return `admissionregistration.k8s.io/v1alpha1 ${kind} is deprecated in v1.35+, unavailable in v1.38+`;
}

/** Admission rules written in CEL, and where they apply. */
export const validatingAdmissionPolicies = defineKind<ValidatingAdmissionPolicy>({
  group: GROUP,
  plural: 'validatingadmissionpolicies',
  columns: validatingAdmissionPolicyColumns,
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  raisesGeneration: changes('spec'),
  validate: checkValidatingPolicy,
});

export const validatingAdmissionPolicyBindings = defineKind<ValidatingAdmissionPolicyBinding>({
  group: GROUP,
  plural: 'validatingadmissionpolicybindings',
  columns: admissionPolicyBindingColumns,
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkValidatingBinding,
});

export const mutatingAdmissionPolicies = defineKind<MutatingAdmissionPolicy>({
  group: GROUP,
  plural: 'mutatingadmissionpolicies',
  columns: mutatingAdmissionPolicyColumns,
  storedVersion: 'v1beta1',
  deprecations: { v1alpha1: alphaWarning('MutatingAdmissionPolicy') },
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkMutatingPolicy,
});

export const mutatingAdmissionPolicyBindings = defineKind<MutatingAdmissionPolicyBinding>({
  group: GROUP,
  plural: 'mutatingadmissionpolicybindings',
  columns: admissionPolicyBindingColumns,
  storedVersion: 'v1beta1',
  deprecations: { v1alpha1: alphaWarning('MutatingAdmissionPolicyBinding') },
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  validate: checkMutatingBinding,
});
