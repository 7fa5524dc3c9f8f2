import { type IpPrefix, isIpv4, isSameIp, maskIp, parseCidr } from '../../api/values/index.ts';
import type { Observed, ServiceCIDR } from '../../client/index.ts';

/** A network by its address and prefix length. */
export type Network = Pick<IpPrefix, 'address' | 'length'>;

export function networksOf({ spec }: Observed<ServiceCIDR>): readonly Network[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** Whether the larger network contains the smaller one. */
export function contains(larger: Network, smaller: Network): boolean {
  if (isIpv4(larger.address) !== isIpv4(smaller.address) || smaller.length < larger.length) return false;
  return isSameIp(maskIp(larger), maskIp({ address: smaller.address, length: larger.length }));
}
