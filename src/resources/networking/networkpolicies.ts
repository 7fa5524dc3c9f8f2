import type { NetworkPolicy } from '../../api/types/networking/v1.d.ts';
import { networkPolicyColumns } from '../columns/networking-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkNetworkPolicy } from './networkpolicy-rules.ts';

export const networkPolicies = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  columns: networkPolicyColumns,
  raisesGeneration: changes('spec'),

  /** A policy is about incoming traffic, and about outgoing if it says something about that. */
  applyDefaults({ spec }) {
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },

  validate: checkNetworkPolicy,
});
