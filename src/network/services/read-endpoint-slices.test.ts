import { expect, test } from 'vitest';
import { endpointPlace, readEndpointSlices, serviceOfSlice } from './read-endpoint-slices.ts';
import { sliceOf } from './testing/services.ts';

const IPV4 = { family: 'IPv4', node: 'n1' } as const;

test('endpoints are sorted by place, and know whether they are on the node', () => {
  const slice = sliceOf('web', [
    { addresses: ['10.0.0.2'], nodeName: 'n2' },
    { addresses: ['010.0.0.1'], nodeName: 'n1', hints: { forZones: [{ name: 'a' }], forNodes: [{ name: 'n1' }] } },
  ]);
  expect(readEndpointSlices([slice], IPV4).get('http/TCP')).toEqual([
    {
      address: '10.0.0.1',
      port: 8080,
      isLocal: true,
      isReady: true,
      isServing: true,
      isTerminating: false,
      zones: ['a'],
      nodes: ['n1'],
    },
    expect.objectContaining({ address: '10.0.0.2', isLocal: false, zones: [], nodes: [] }),
  ]);
});

test('conditions that are not said mean ready, serving and not terminating', () => {
  const slice = sliceOf('web', [
    { addresses: ['10.0.0.1'], conditions: { ready: false, serving: true, terminating: true } },
    { addresses: ['10.0.0.2'], conditions: { ready: false } },
  ]);
  expect(readEndpointSlices([slice], IPV4).get('http/TCP')).toMatchObject([
    { isReady: false, isServing: true, isTerminating: true },
    { isReady: false, isServing: true, isTerminating: false },
  ]);
});

test('slices of several ports, of another family, and without what counts', () => {
  const slices = [
    sliceOf('web', [{ addresses: ['10.0.0.1'] }], {
      ports: [{ name: '', port: 80 }, { name: 'dns', protocol: 'UDP', port: 53 }, { port: 1 }, { name: 'none' }],
    }),
    sliceOf('web', [{ addresses: ['fd00::1'] }], { addressType: 'IPv6' }),
    sliceOf('web', [{ addresses: ['host.example'] }], { addressType: 'FQDN' }),
  ];
  expect([...readEndpointSlices(slices, IPV4).keys()]).toEqual(['/TCP', 'dns/UDP']);
  const [ipv6] = readEndpointSlices(slices, { family: 'IPv6', node: 'n1' }).get('http/TCP') ?? [];
  expect(ipv6 && endpointPlace(ipv6)).toBe('[fd00::1]:8080');
});

test('a slice without ports or without endpoints, which the API writes as null, has none', () => {
  const nothing = JSON.parse('{ "ports": null, "endpoints": null }') as object;
  const slices = [{ ...sliceOf('web', []), ...nothing }, sliceOf('web', [{ addresses: ['10.0.0.1'] }])];
  expect([...readEndpointSlices(slices, IPV4).keys()]).toEqual(['http/TCP']);
});

test('of two endpoints at one place, the one that does not terminate counts', () => {
  const leaving = { addresses: ['10.0.0.1'], conditions: { ready: false, terminating: true } };
  const running = { addresses: ['10.0.0.1'], conditions: { ready: true } };
  for (const endpoints of [
    [leaving, running],
    [running, leaving],
  ]) {
    const found = readEndpointSlices([sliceOf('web', endpoints)], IPV4).get('http/TCP');
    expect(found).toMatchObject([{ isReady: true, isTerminating: false }]);
  }
});

test('lists that a server writes as null are empty', () => {
  const empty = { ...sliceOf('web', []), endpoints: null as never };
  expect(readEndpointSlices([empty], IPV4).get('http/TCP')).toEqual([]);
  expect(readEndpointSlices([{ ...empty, ports: null as never }], IPV4).size).toBe(0);
});

test('a slice without the label belongs to no Service', () => {
  expect(serviceOfSlice(sliceOf('web', []))).toBe('default/web');
  expect(serviceOfSlice({ metadata: { namespace: 'default', name: 'web-1' }, addressType: 'IPv4' })).toBeUndefined();
});
