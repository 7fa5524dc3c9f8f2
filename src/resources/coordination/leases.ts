import { configMapKeyProblems } from '../../api/index.ts';
import type { Lease, LeaseSpec } from '../../api/types/coordination/v1.d.ts';
import type { LeaseCandidate } from '../../api/types/coordination/v1beta1.d.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';
import { checkLeaseCandidate } from './lease-candidate-rules.ts';

export const leases = defineKind<Lease>({
  group: 'coordination.k8s.io',
  plural: 'leases',
  allowsAnyFinalizer: true,
  columns: [nameColumn, column('Holder', 'Who holds the lease', ({ spec }) => spec?.holderIdentity ?? ''), ageColumn],
  createOnUpdate: true,
  requiresResourceVersion: true,

  prepareForCreate(lease) {
    lease.spec = withoutGatedFields(lease.spec, undefined);
  },

  prepareForUpdate(lease, old) {
    lease.spec = withoutGatedFields(lease.spec, old.spec);
  },
});

/** Coordinated leader election is off by default; fields that an old lease had may stay. */
function withoutGatedFields(spec: LeaseSpec, old: LeaseSpec | undefined): LeaseSpec {
  if (spec.strategy === undefined && spec.preferredHolder === undefined) return spec;
  const { strategy, preferredHolder, ...rest } = spec;
  return {
    ...rest,
    ...(old?.strategy === undefined ? {} : { strategy }),
    ...(old?.preferredHolder === undefined ? {} : { preferredHolder }),
  };
}

export const leaseCandidates = defineKind<LeaseCandidate>({
  group: 'coordination.k8s.io',
  plural: 'leasecandidates',
  allowsAnyFinalizer: true,
  columns: [
    nameColumn,
    column('LeaseName', 'Lease that it would hold', ({ spec }) => spec?.leaseName ?? ''),
    column('BinaryVersion', 'Version of the program', ({ spec }) => spec?.binaryVersion ?? ''),
    column('EmulationVersion', 'Version that the program behaves as', ({ spec }) => spec?.emulationVersion ?? ''),
    ageColumn,
  ],
  storedVersion: 'v1beta1',
  deprecations: {
    v1alpha2: 'coordination.k8s.io/v1alpha2 LeaseCandidate is deprecated in v1.35+, unavailable in v1.38+',
    v1beta1: 'coordination.k8s.io/v1beta1 LeaseCandidate is deprecated in v1.36+, unavailable in v1.39+',
  },
  createOnUpdate: true,
  requiresResourceVersion: true,
  checkName: (name) => configMapKeyProblems(name),
  validate: checkLeaseCandidate,
});
