import { formatIp, isIpv4, parseIp } from '../../api/values/index.ts';
import type { EndpointAddress } from '../../api/types/core/v1.d.ts';
import type { Endpoint, EndpointPort } from '../../api/types/discovery/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Endpoints, Observed } from '../../client/index.ts';
import { repackedSubsets } from './repacked-subsets.ts';

/** Maximum number of mirrored addresses per subset; a slice holds one subset. */
export const MAX_ADDRESSES = 1000;

/** The desired content of one slice. */
export interface MirroredSlice {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface Mirrored {
  readonly slices: readonly MirroredSlice[];
  /** The number of invalid addresses. */
  readonly invalid: number;
  /** The number of addresses above the maximum. */
  readonly surplus: number;
}

/** The desired slices of an Endpoints object, one for each set of ports and address family. */
export function mirroredSlices({ subsets = [] }: Observed<Endpoints>): Mirrored {
  const slices: MirroredSlice[] = [];
  let invalid = 0;
  let surplus = 0;
  for (const { ports, ready, notReady } of repackedSubsets(subsets)) {
    const all = [
      ...ready.map((address) => endpointOf(address, true)),
      ...notReady.map((address) => endpointOf(address, false)),
    ];
    const valid = all.filter((address) => address !== undefined);
    const kept = valid.slice(0, MAX_ADDRESSES);
    const hasAll = kept.length === valid.length;
    if (hasAll) invalid += all.length - valid.length;
    surplus += hasAll ? 0 : all.length - kept.length;
    const slicePorts = ports.map(({ name = '', port, protocol, appProtocol }) => ({
      name,
      port,
      ...(protocol === undefined ? {} : { protocol }),
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    for (const addressType of ['IPv4', 'IPv6'] as const) {
      const endpoints = kept.filter((each) => each.addressType === addressType).map(({ endpoint }) => endpoint);
      if (endpoints.length > 0) slices.push({ addressType, ports: slicePorts, endpoints });
    }
  }
  return { slices, invalid, surplus };
}

function endpointOf(
  { ip, nodeName, hostname = '', targetRef }: DeepReadonly<EndpointAddress>,
  ready: boolean,
): { readonly addressType: 'IPv4' | 'IPv6'; readonly endpoint: Endpoint } | undefined {
  const address = parseIp(ip);
  if (address === undefined) return undefined;
  const endpoint = {
    addresses: [formatIp(address)],
    conditions: { ready },
    ...(targetRef === undefined ? {} : { targetRef: { ...targetRef } }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(hostname === '' ? {} : { hostname }),
  };
  return { addressType: isIpv4(address) ? 'IPv4' : 'IPv6', endpoint };
}
