import {
  cidrProblems,
  cidrWarnings,
  invalidValue,
  ipProblems,
  isIpv4,
  parseCidr,
  required,
  sentEmpty,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { IPAddress, ServiceCIDR } from '../../api/types/networking/v1.d.ts';
import { ageColumn, column, each, nameColumn, NONE } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';

/** A network from which services get their addresses. */
export const serviceCidrs = defineKind<ServiceCIDR>({
  changeSteps: ['metadataChange', 'change'],
  group: 'networking.k8s.io',
  plural: 'servicecidrs',
  columns: [
    nameColumn,
    column('CIDRs', 'Ranges of addresses for services', ({ spec }) => each(spec?.cidrs).join(',')),
    ageColumn,
  ],
  announcedVersions: ['v1beta1@..1.33'],
  deprecations: { v1beta1: 'networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+' },
  statusMetadata: 'owned',
  validate: checkServiceCidr,
  validateChange: checkServiceCidrUpdate,
  warnings: ({ spec }) => (spec.cidrs ?? []).flatMap((cidr, index) => cidrWarnings(`spec.cidrs[${index}]`, cidr)),
});

const FIELD = 'spec.cidrs';
const IMMUTABLE = 'field is immutable';

function checkServiceCidr({ spec }: Whole<ServiceCIDR>): FieldError[] {
  const { cidrs = [] } = spec;
  if (cidrs.length === 0) return [required(FIELD, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalidValue(FIELD, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, index) =>
    cidrProblems(cidr).map((problem) => invalidValue(`${FIELD}[${index}]`, cidr, problem)),
  );
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr));
  if (first === undefined || second === undefined || isIpv4(first.address) !== isIpv4(second.address)) return errors;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [...errors, invalidValue(FIELD, cidrs, detail)];
}

/** Networks are immutable; one of the other family may be added. */
function checkServiceCidrUpdate(object: Whole<ServiceCIDR>, old: Whole<ServiceCIDR>): FieldError[] {
  const now = object.spec.cidrs ?? [];
  const was = old.spec.cidrs ?? [];
  if (now.length === was.length) {
    return was.flatMap((cidr, index) =>
      cidr === now[index] ? [] : [invalidValue(`${FIELD}[${index}]`, now[index], IMMUTABLE)],
    );
  }
  if (was.length !== 1 || now.length !== 2)
    return [invalidValue(FIELD, object.spec.cidrs ?? sentEmpty(object.spec, 'cidrs'), IMMUTABLE)];
  return [...(now[0] === was[0] ? [] : [invalidValue(`${FIELD}[0]`, now[0], IMMUTABLE)]), ...checkServiceCidr(object)];
}

/** An allocated address of the service network, and its user. */
export const ipAddresses = defineKind<IPAddress>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: 'networking.k8s.io',
  plural: 'ipaddresses',
  columns: [nameColumn, column('ParentRef', 'Object that uses the address', parent)],
  announcedVersions: ['v1beta1@..1.33'],
  deprecations: { v1beta1: 'networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+' },
  checkName: (name) => ipProblems(name),
  validate: checkIpAddress,
});

function checkIpAddress({ spec }: Whole<IPAddress>): FieldError[] {
  return spec.parentRef === undefined ? [required('spec.parentRef')] : [];
}

function parent({ spec }: IPAddress): string {
  const reference = spec?.parentRef;
  if (reference === undefined) return NONE;
  const { group = '', resource, namespace = '', name } = reference;
  const type = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
  return [type, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
