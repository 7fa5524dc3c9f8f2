import { cidrWarnings } from '../../api/index.ts';
import type { ServiceCIDR } from '../../api/types/networking/v1.d.ts';
import { serviceCidrColumns } from '../columns/networking-columns.ts';
import { defineKind } from '../kind.ts';
import { checkServiceCidr, checkServiceCidrUpdate } from './servicecidr-rules.ts';

/** A network from which services get their addresses. */
export const serviceCidrs = defineKind<ServiceCIDR>({
  group: 'networking.k8s.io',
  plural: 'servicecidrs',
  columns: serviceCidrColumns,
  deprecations: { v1beta1: 'networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+' },
  statusMetadata: 'owned',
  validate: checkServiceCidr,
  validateUpdate: checkServiceCidrUpdate,
  warnings: ({ spec }) => (spec.cidrs ?? []).flatMap((cidr, index) => cidrWarnings(`spec.cidrs[${index}]`, cidr)),
});
