import { formatIp, parseCidr } from '../../../api/values/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';

/** The place of the DNS Service in the first range of Services, as kubeadm chooses it. */
const PLACE = 10;

/** The tenth address of a range: `10.96.0.10` of `10.96.0.0/16`; undefined for a range that is too small. */
export function clusterDnsAddress(range: string): string | undefined {
  const prefix = parseCidr(range);
  if (prefix === undefined) return undefined;
  const { bytes } = prefix.address;
  if (bytes.length * 8 - prefix.length < 4) return undefined;
  return formatIp({ bytes: [...bytes.slice(0, -1), (bytes.at(-1) ?? 0) + PLACE], isSloppy: false });
}

/** What the node tells its pods to ask, when `keelson up` runs the DNS server: none where it does not. */
export function clusterDnsServers(flags: FlagValues): readonly string[] {
  if (!flags.isSet('dns')) return [];
  const [range = ''] = serviceRanges(flags);
  const address = clusterDnsAddress(range);
  if (address === undefined)
    throw new FlagError(
      `--service-cluster-ip-range: "${range}" has no tenth address for DNS; --dns=false runs without`,
    );
  return [address];
}

/** The ranges that addresses of Services are taken from. */
export function serviceRanges(flags: FlagValues): readonly string[] {
  return (flags.text('service-cluster-ip-range') ?? '').split(',').filter((range) => range !== '');
}
