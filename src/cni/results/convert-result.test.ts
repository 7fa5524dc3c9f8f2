import { expect, test } from 'vitest';
import { CNI_VERSIONS } from '../cni-version.ts';
import { convertResult } from './convert-result.ts';
import { parseResult } from './read-result.ts';

const newest = {
  cniVersion: '1.1.0',
  interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', mtu: 1400, sandbox: '/run/netns/a', pciID: 'x' }],
  ips: [
    { address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 0 },
    { address: '10.0.0.3/24' },
    { address: 'fd00::2/64', gateway: 'fd00::1' },
  ],
  routes: [
    { dst: '0.0.0.0/0', gw: '10.0.0.1', mtu: 1300 },
    { dst: '::/0', table: 0 },
  ],
  dns: { nameservers: ['10.0.0.1'] },
};

test('a result of 1.1 converts to the forms of older versions', () => {
  expect(convertResult(newest, '1.0.0')).toEqual({ ...newest, cniVersion: '1.0.0' });
  expect(convertResult(newest, '0.4.0')).toEqual({
    ...newest,
    cniVersion: '0.4.0',
    interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/a' }],
    ips: newest.ips.map((ip) => ({ version: ip.address.includes(':') ? '6' : '4', ...ip })),
  });
  expect(convertResult(newest, '0.2.0')).toEqual({
    cniVersion: '0.2.0',
    ip4: { ip: '10.0.0.2/24', gateway: '10.0.0.1', routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }] },
    ip6: { ip: 'fd00::2/64', gateway: 'fd00::1', routes: [{ dst: '::/0' }] },
    dns: { nameservers: ['10.0.0.1'] },
  });
});

test('a result of an older version converts to the forms of newer ones', () => {
  const old = convertResult(newest, '0.2.0');
  expect(convertResult(old, '1.1.0')).toEqual({
    cniVersion: '1.1.0',
    ips: [
      { address: '10.0.0.2/24', gateway: '10.0.0.1' },
      { address: 'fd00::2/64', gateway: 'fd00::1' },
    ],
    routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }, { dst: '::/0' }],
    dns: { nameservers: ['10.0.0.1'] },
  });
  expect(convertResult(convertResult(newest, '0.3.1'), '1.0.0')).toMatchObject({ ips: newest.ips });
});

test('any version converts to any other', () => {
  for (const from of CNI_VERSIONS)
    for (const to of CNI_VERSIONS) expect(convertResult(convertResult(newest, from), to).cniVersion).toBe(to);
});

test('without an address there is no result of 0.2', () => {
  expect(() => convertResult({ cniVersion: '1.0.0' }, '0.1.0')).toThrow('it has no IP address');
});

test('a printed result is read by the rules of its version', () => {
  const printed = JSON.stringify({
    interfaces: [{ name: 'a', mtu: 9, extra: 1 }],
    ips: [{ version: '6', address: '2001:DB8:0::1/64', gateway: '' }],
    more: true,
  });
  expect(parseResult(printed, '0.4.0')).toEqual({
    cniVersion: '0.4.0',
    interfaces: [{ name: 'a' }],
    ips: [{ version: '6', address: '2001:db8::1/64' }],
    dns: {},
  });
  expect(parseResult('null', '1.0.0')).toEqual({ cniVersion: '1.0.0' });
  expect(parseResult('{"cniVersion":"0.2.0"}', '1.0.0')).toEqual({ cniVersion: '0.2.0', dns: {} });
});

test.each([
  ['', 'the plugin printed nothing'],
  ['hello', 'cannot read the result'],
  ['{"cniVersion":"3.0.0"}', 'unsupported CNI result version "3.0.0"'],
  ['{"ips":[{"address":"10.0.0.2"}]}', '"address" of an address of the result must be an address with a length'],
  ['{"ips":[{"address":"010.0.0.2/8"}]}', 'got "010.0.0.2/8"'],
  ['{"ips":[{"address":"10.0.0.2/8","gateway":"x"}]}', '"gateway" of an address of the result must be an IP address'],
  ['{"routes":[{}]}', '"dst" of a route of the result'],
  ['{"ips":[{"address":"10.0.0.2/8","interface":0.5}]}', '"interface" must be an integer'],
])('the result %s is refused', (text, message) => {
  expect(() => parseResult(text, '1.1.0')).toThrow(message);
});
