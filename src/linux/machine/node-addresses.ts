import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { messageOf } from '../../base/index.ts';
import { textOf } from './text-of.ts';

export interface NodeAddressOptions {
  /** The addresses of `--node-ip`: none, one, or one of each IP family. `0.0.0.0` and `::` only prefer a family. */
  readonly nodeIps: readonly string[];
  /** The node's name, which may be an address or stand in `/etc/hosts`. */
  readonly hostname: string;
}

/** The addresses that a node reports, chosen in a kubelet's order. Throws when there is none, or when a given one is not this machine's. */
export async function nodeAddresses({ nodeIps, hostname }: NodeAddressOptions): Promise<readonly string[]> {
  const given = nodeIps.filter((address) => !isUnspecified(address));
  for (const address of given) {
    const problem = problemOf(address);
    if (problem !== undefined) throw new Error(`Cannot use the node's address ${address}: ${problem}`);
  }
  if (given.length > 0) return given.slice(0, 2);
  if (isIP(hostname) !== 0) return [hostname];
  const family = nodeIps[0] === '::' ? 6 : 4;
  const found = await addressesOfName(hostname);
  const usable = found.filter((address) => problemOf(address) === undefined);
  const first = usable.find((address) => isIP(address) === family) ?? usable[0] ?? (await defaultRouteAddress(family));
  if (first === undefined)
    throw new Error(`Cannot find an address of node "${hostname}": no interface has a usable one`);
  return [first];
}

async function addressesOfName(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return []; // a name that nothing resolves is the usual case
  }
}

/** The address of the interface that has the default route; that of any other interface when none has one. */
async function defaultRouteAddress(family: 4 | 6): Promise<string | undefined> {
  const all = networkInterfaces();
  const routes = (await textOf('/proc/net/route')).split('\n').map((line) => line.split('\t'));
  const byRoute = routes.find(
    ([, destination, , flags]) => destination === '00000000' && Number(`0x${flags}`) > 0,
  )?.[0];
  const names = byRoute === undefined ? Object.keys(all) : [byRoute];
  const found = names
    .flatMap((name) => all[name] ?? [])
    .map(({ address }) => address)
    .filter((address) => problemOf(address) === undefined);
  return found.find((address) => isIP(address) === family) ?? found[0];
}

function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** Why the address cannot be a node's, in a kubelet's words. */
function problemOf(address: string): string | undefined {
  if (isIP(address) === 0) return 'nodeIP must be a valid IP address';
  if (isIn(LOOPBACK, address)) return "nodeIP can't be loopback address";
  if (isIn(MULTICAST, address)) return "nodeIP can't be a multicast address";
  if (isIn(LINK_LOCAL, address)) return "nodeIP can't be a link-local unicast address";
  if (isUnspecified(address)) return "nodeIP can't be an all zeros address";
  const own = Object.values(interfacesOf()).flatMap((each) => each ?? []);
  return own.some((each) => each.address === address)
    ? undefined
    : `node IP: ${JSON.stringify(address)} not found in the host's network interfaces`;
}

function interfacesOf(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces();
  } catch (error) {
    throw new Error(`Cannot list the interfaces of the machine: ${messageOf(error)}`, { cause: error });
  }
}

type Range = readonly [string, number, 'ipv4' | 'ipv6'];
const LOOPBACK: readonly Range[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
];
const MULTICAST: readonly Range[] = [
  ['224.0.0.0', 4, 'ipv4'],
  ['ff00::', 8, 'ipv6'],
];
const LINK_LOCAL: readonly Range[] = [
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
];

function isIn(ranges: readonly Range[], address: string): boolean {
  const list = new BlockList();
  for (const [net, prefix, family] of ranges) list.addSubnet(net, prefix, family);
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
