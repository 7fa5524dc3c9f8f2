import { expect, test } from 'vitest';
import { withoutContained } from './address-ranges.ts';
import type { RuleOptions } from './proxy-options.ts';
import { localMatch } from './rule-settings.ts';
import { settingsOf } from './settings-of.ts';

const NODE = {
  name: 'n1',
  zone: undefined,
  addresses: { IPv4: '192.0.2.1', IPv6: undefined },
  podCidrs: ['10.244.7.0/24', 'fd00:244:7::/64'],
  isEligible: true,
};
const MACHINE = () => ['127.0.0.1', '::1', '192.0.2.1', '198.51.100.1', '2001:db8::1'];

function settings(options: RuleOptions, family: 'IPv4' | 'IPv6' = 'IPv4') {
  return settingsOf(family, options, { node: NODE, serviceCidrs: ['10.96.0.0/16', 'fd00:96::/112'] }, MACHINE);
}

test('node ports are served on the primary address, and everywhere in a family without one', () => {
  expect(settings({}).nodePortAddresses).toEqual(['192.0.2.1']);
  expect(settings({}, 'IPv6').nodePortAddresses).toBe('all');
});

test('node ports are served on addresses in the given ranges, but never on loopback', () => {
  expect(settings({ nodePortAddresses: ['127.0.0.0/8', '198.51.100.0/24'] }).nodePortAddresses).toEqual([
    '198.51.100.1',
  ]);
  expect(settings({ nodePortAddresses: ['10.0.0.0/8'] }).nodePortAddresses).toEqual([]);
  expect(settings({ nodePortAddresses: ['10.0.0.0/8', '0.0.0.0/0'] }).nodePortAddresses).toBe('all');
  expect(settings({ nodePortAddresses: ['10.0.0.0/8'] }, 'IPv6').nodePortAddresses).toBe('all');
});

test('local traffic is recognized by the range of the family, the node or an interface', () => {
  const clusterCidrs = ['10.244.0.0/16', 'fd00:244::/48'];
  const match = (options: RuleOptions, family: 'IPv4' | 'IPv6' = 'IPv4') =>
    localMatch(settings(options, family), false);
  expect(match({ clusterCidrs })).toBe('ip saddr != 10.244.0.0/16');
  expect(match({ clusterCidrs }, 'IPv6')).toBe('ip6 saddr != fd00:244::/48');
  expect(match({})).toBeUndefined();
  expect(match({ detectLocalMode: 'NodeCIDR' })).toBe('ip saddr != 10.244.7.0/24');
  expect(match({ detectLocalMode: 'BridgeInterface', bridgeInterface: 'cni0' })).toBe('iifname != "cni0"');
  expect(match({ detectLocalMode: 'InterfaceNamePrefix', interfaceNamePrefix: 'veth' })).toBe('iifname != "veth*"');
});

test('the mark is the bit, the address may be another, and ranges of Services are of the family', () => {
  expect(settings({ masqueradeBit: 31, nodeAddress: '192.0.2.7' })).toMatchObject({
    masqueradeMark: 0x80_00_00_00,
    nodeAddress: '192.0.2.7',
    serviceCidrs: ['10.96.0.0/16'],
  });
});

test('ranges within others are left out', () => {
  expect(withoutContained(['10.1.0.0/16', '10.0.0.0/8', '10.0.0.0/8', '192.0.2.1', '192.0.2.0/24', 'fd00::1'])).toEqual(
    ['10.0.0.0/8', '192.0.2.0/24', 'fd00::1/128'],
  );
});
