import { isIpv4, parseCidr } from '../../api/values/index.ts';
import { CniError } from '../cni-error.ts';
import { UNSTATED_VERSION } from '../cni-version.ts';
import type { CniInterface, CniResult, CniResult020, CniResult040, VersionedResult } from './cni-result.ts';
import { defined, formOf } from './read-result.ts';

/** A result in the form of another version. What the other version cannot say is left out. */
export function convertResult(result: VersionedResult, version: string): VersionedResult {
  const wanted = version === '' ? UNSTATED_VERSION : version;
  const [from, to] = [formOf(result.cniVersion), formOf(wanted)];
  if (from === to) return { ...result, cniVersion: wanted };
  const newest = from === '1.1' ? (result as CniResult) : from === '0.4' ? from040(result) : from020(result);
  if (to === '1.1') return { ...newest, cniVersion: wanted };
  return to === '0.4' ? to040(newest, wanted) : to020(newest, wanted);
}

/** A result in the newest form, whatever form it has. */
export function currentResult(result: VersionedResult): CniResult & { readonly cniVersion: string } {
  return convertResult(result, '1.1.0') as CniResult & { readonly cniVersion: string };
}

function from040(result: VersionedResult): CniResult {
  const { interfaces, ips, routes, dns } = result as CniResult040;
  return defined({
    interfaces,
    ips: ips?.map(({ version: _, ...address }) => address),
    routes,
    dns: dns === undefined || Object.keys(dns).length === 0 ? undefined : dns,
  });
}

function from020(result: VersionedResult): CniResult {
  const { ip4, ip6, dns } = result as CniResult020;
  const given = [ip4, ip6].filter((each) => each !== undefined);
  const ips = given.map(({ ip, gateway }) => defined({ address: ip, gateway }));
  const routes = given.flatMap((each) => each.routes ?? []);
  return defined({
    ips: ips.length === 0 ? undefined : ips,
    routes: routes.length === 0 ? undefined : routes,
    dns: dns === undefined || Object.keys(dns).length === 0 ? undefined : dns,
  });
}

function to040({ interfaces, ips, routes, dns = {} }: CniResult, cniVersion: string): CniResult040 {
  return defined({
    cniVersion,
    interfaces: interfaces?.map(({ name, mac, sandbox }): CniInterface => defined({ name, mac, sandbox })),
    ips: ips?.map((each) => ({ version: isFamily4(each.address) ? '4' : '6', ...each })),
    routes,
    dns,
  });
}

function to020({ ips = [], routes = [], dns = {} }: CniResult, cniVersion: string): CniResult020 {
  const firstOf = (is4: boolean): CniResult020['ip4'] => {
    const found = ips.find(({ address }) => isFamily4(address) === is4);
    if (found === undefined) return undefined;
    const own = routes.filter(({ dst }) => isFamily4(dst) === is4).map(({ dst, gw }) => defined({ dst, gw }));
    return defined({ ip: found.address, gateway: found.gateway, routes: own.length === 0 ? undefined : own });
  };
  const [ip4, ip6] = [firstOf(true), firstOf(false)];
  if (ip4 === undefined && ip6 === undefined)
    throw new CniError('IncompatibleVersion', `cannot convert a result to version ${cniVersion}`, {
      details: 'it has no IP address, and the version requires one',
    });
  return defined({ cniVersion, ip4, ip6, dns });
}

function isFamily4(prefix: string): boolean {
  const parsed = parseCidr(prefix);
  return parsed !== undefined && isIpv4(parsed.address);
}
