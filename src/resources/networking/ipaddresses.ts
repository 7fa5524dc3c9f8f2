import { ipProblems } from '../../api/index.ts';
import type { IPAddress } from '../../api/types/networking/v1.d.ts';
import { ipAddressColumns } from '../columns/networking-columns.ts';
import { defineKind } from '../kind.ts';
import { checkIpAddress } from './ipaddress-rules.ts';

/** One address of the service network that is taken, and by what. */
export const ipAddresses = defineKind<IPAddress>({
  group: 'networking.k8s.io',
  plural: 'ipaddresses',
  columns: ipAddressColumns,
  deprecations: { v1beta1: 'networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+' },
  checkName: (name) => ipProblems(name),
  validate: checkIpAddress,
});
