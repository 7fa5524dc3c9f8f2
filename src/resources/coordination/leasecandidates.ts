import type { LeaseCandidate } from '../../api/types/coordination/v1beta1.d.ts';
import { leaseCandidateColumns } from '../columns/scheduling-columns.ts';
import { defineKind } from '../kind.ts';

export const leaseCandidates = defineKind<LeaseCandidate>({
  group: 'coordination.k8s.io',
  plural: 'leasecandidates',
  columns: leaseCandidateColumns,
  storedVersion: 'v1beta1',
  deprecations: {
    v1alpha2: 'coordination.k8s.io/v1alpha2 LeaseCandidate is deprecated in v1.35+, unavailable in v1.38+',
    v1beta1: 'coordination.k8s.io/v1beta1 LeaseCandidate is deprecated in v1.36+, unavailable in v1.39+',
  },
  createOnUpdate: true,
  requiresResourceVersion: true,
});
