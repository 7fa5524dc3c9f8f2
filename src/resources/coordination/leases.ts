import type { Lease, LeaseSpec } from '../../api/types/coordination/v1.d.ts';
import { leaseColumns } from '../columns/scheduling-columns.ts';
import { defineKind } from '../kind.ts';

export const leases = defineKind<Lease>({
  group: 'coordination.k8s.io',
  plural: 'leases',
  columns: leaseColumns,
  createOnUpdate: true,
  requiresResourceVersion: true,

  prepareForCreate(lease) {
    lease.spec = withoutGatedFields(lease.spec, undefined);
  },

  prepareForUpdate(lease, old) {
    lease.spec = withoutGatedFields(lease.spec, old.spec);
  },
});

/** Coordinated leader election is off by default; what an old lease had may stay. */
function withoutGatedFields(spec: LeaseSpec, old: LeaseSpec | undefined): LeaseSpec {
  if (spec.strategy === undefined && spec.preferredHolder === undefined) return spec;
  const { strategy, preferredHolder, ...rest } = spec;
  return {
    ...rest,
    ...(old?.strategy === undefined ? {} : { strategy }),
    ...(old?.preferredHolder === undefined ? {} : { preferredHolder }),
  };
}
