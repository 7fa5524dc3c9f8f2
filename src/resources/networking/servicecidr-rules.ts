import { invalidValue, isIpv4, parseCidr, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { ServiceCIDR } from '../../api/types/networking/v1.d.ts';
import type { Whole } from '../kind.ts';

const FIELD = 'spec.cidrs';
const IMMUTABLE = 'field is immutable';

export function checkServiceCidr({ spec }: Whole<ServiceCIDR>): FieldError[] {
  const { cidrs = [] } = spec;
  if (cidrs.length === 0) return [required(FIELD, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalidValue(FIELD, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr));
  if (first === undefined || second === undefined || isIpv4(first.address) !== isIpv4(second.address)) return [];
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [invalidValue(FIELD, cidrs, detail)];
}

/** Networks stay; one of the other family may be added. */
export function checkServiceCidrUpdate(object: Whole<ServiceCIDR>, old: Whole<ServiceCIDR>): FieldError[] {
  const now = object.spec.cidrs ?? [];
  const was = old.spec.cidrs ?? [];
  if (now.length === was.length) {
    return was.flatMap((cidr, index) =>
      cidr === now[index] ? [] : [invalidValue(`${FIELD}[${index}]`, now[index], IMMUTABLE)],
    );
  }
  if (was.length !== 1 || now.length !== 2) return [invalidValue(FIELD, now, IMMUTABLE)];
  return [...(now[0] === was[0] ? [] : [invalidValue(`${FIELD}[0]`, now[0], IMMUTABLE)]), ...checkServiceCidr(object)];
}
