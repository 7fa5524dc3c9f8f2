import { type IpPrefix, isIpv4, isSameIp, maskIp, parseCidr } from '../../api/values/index.ts';
import type { Observed, ServiceCIDR } from '../../client/index.ts';

/** Addresses that begin with the same bits. */
export type Network = Pick<IpPrefix, 'address' | 'length'>;

export function networksOf({ spec }: Observed<ServiceCIDR>): readonly Network[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** Whether all addresses of a network are those of another. */
export function contains(larger: Network, smaller: Network): boolean {
  if (isIpv4(larger.address) !== isIpv4(smaller.address) || smaller.length < larger.length) return false;
  return isSameIp(maskIp(larger), maskIp({ address: smaller.address, length: larger.length }));
}
