import { networkInterfaces } from 'node:os';
import { type IpFamily, addressOf, rangeOf, type Surroundings } from '../services/index.ts';
import { isInRange } from './address-ranges.ts';
import type { RuleOptions } from './proxy-options.ts';
import type { LocalDetection, RuleSettings } from './rule-settings.ts';

const MASQUERADE_BIT = 14;

/** The settings of the rules of one family, as options, node and machine are now. */
export function settingsOf(
  family: IpFamily,
  options: RuleOptions,
  { node, serviceCidrs }: Surroundings,
  machineAddresses: () => readonly string[] = addressesOfMachine,
): RuleSettings {
  const own = options.nodeAddress === undefined ? undefined : addressOf(options.nodeAddress, family);
  const nodeAddress = own ?? node.addresses[family];
  return {
    family,
    masqueradeMark: (1 << (options.masqueradeBit ?? MASQUERADE_BIT)) >>> 0,
    masqueradeAll: options.masqueradeAll ?? false,
    localDetection: localDetectionOf(family, options, node.podCidrs),
    nodeAddress,
    nodePortAddresses: nodePortAddressesOf(family, {
      wanted: options.nodePortAddresses ?? 'primary',
      nodeAddress,
      machineAddresses,
    }),
    serviceCidrs: rangesOf(serviceCidrs, family),
  };
}

/** Whether local traffic can be recognized with what is known about the node; `NodeCIDR` needs its ranges of pods. */
export function canDetectLocal({ detectLocalMode }: RuleOptions, podCidrs: readonly string[]): boolean {
  return detectLocalMode !== 'NodeCIDR' || podCidrs.length > 0;
}

function localDetectionOf(family: IpFamily, options: RuleOptions, podCidrs: readonly string[]): LocalDetection {
  switch (options.detectLocalMode ?? 'ClusterCIDR') {
    case 'ClusterCIDR':
      return byRange([...(options.clusterCidrs ?? []), ...(options.usesNodeCidrs === true ? podCidrs : [])], family);
    case 'NodeCIDR':
      return byRange(podCidrs, family);
    case 'BridgeInterface':
      return { type: 'interface', name: options.bridgeInterface ?? '' };
    case 'InterfaceNamePrefix':
      return { type: 'interface prefix', prefix: options.interfaceNamePrefix ?? '' };
  }
}

/** Of several ranges of a family, the first counts. */
function byRange(ranges: readonly string[], family: IpFamily): LocalDetection {
  const [range] = rangesOf(ranges, family);
  return range === undefined ? { type: 'none' } : { type: 'range', range };
}

function rangesOf(ranges: readonly string[], family: IpFamily): readonly string[] {
  return ranges.flatMap((range) => rangeOf(range, family) ?? []);
}

interface NodePortPlaces {
  readonly wanted: 'primary' | readonly string[];
  readonly nodeAddress: string | undefined;
  machineAddresses(): readonly string[];
}

/** A family for which no range is given has no limit, nor has one in which the node's address is not known. */
function nodePortAddressesOf(
  family: IpFamily,
  { wanted, nodeAddress, machineAddresses }: NodePortPlaces,
): 'all' | readonly string[] {
  const primary = nodeAddress === undefined || isLoopback(nodeAddress) ? [] : [`${nodeAddress}/${bitsOf(family)}`];
  const ranges = wanted === 'primary' ? primary : rangesOf(wanted, family);
  if (ranges.length === 0 || ranges.some((range) => range.endsWith('/0'))) return 'all';
  const own = machineAddresses().flatMap((address) => addressOf(address, family) ?? []);
  return [...new Set(own)]
    .filter((address) => !isLoopback(address) && ranges.some((range) => isInRange(address, range)))
    .sort();
}

function bitsOf(family: IpFamily): number {
  return family === 'IPv4' ? 32 : 128;
}

function isLoopback(address: string): boolean {
  return address === '::1' || isInRange(address, '127.0.0.0/8');
}

export function addressesOfMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
