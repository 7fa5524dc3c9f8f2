import { expect, test } from 'vitest';
import { parseIp } from '../../api/index.ts';
import { SeededRandom } from '../../base/index.ts';
import { IpRange } from './ip-range.ts';

test('yields every address of a network once, the reserved share last', () => {
  const range = new IpRange('10.1.0.0/26');
  const all = [...range.candidates(new SeededRandom(1))];
  expect(all).toHaveLength(62);
  expect(new Set(all).size).toBe(62);
  const last = all.slice(-16).map((address) => Number(address.split('.')[3]));
  expect(last.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
});

test('excludes the network address and, for IPv4, the broadcast address', () => {
  const range = new IpRange('10.1.0.0/24');
  const holds = (text: string): boolean => {
    const address = parseIp(text);
    return address !== undefined && range.contains(address);
  };
  expect(['10.1.0.0', '10.1.0.1', '10.1.0.254', '10.1.0.255', '10.1.1.1', 'fd00::1'].map(holds)).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(new IpRange('fd00::/126').firstAddress).toBe('fd00::1');
  expect([...new IpRange('fd00::/126').candidates(new SeededRandom(1))].toSorted()).toEqual([
    'fd00::1',
    'fd00::2',
    'fd00::3',
  ]);
});

test('refuses an invalid network', () => {
  expect(() => new IpRange('10.1.0.0')).toThrow('Cannot use service network "10.1.0.0": it is no CIDR');
});
