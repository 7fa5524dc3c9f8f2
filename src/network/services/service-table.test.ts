import { expect, test } from 'vitest';
import { type PortChange, ServiceTable } from './service-table.ts';
import { serviceOf, sliceOf } from './testing/services.ts';

const NO_PAUSES = { isOver: false, next: async () => undefined };
const WEB = serviceOf('web', { clusterIP: '10.96.0.1' });

function texts(changes: readonly PortChange[]): readonly string[] {
  const text = (port: PortChange['before']): string =>
    port === undefined ? '-' : `${port.port}[${port.endpoints.cluster.map(({ address }) => address).join(' ')}]`;
  return changes.map(({ name, before, after }) => `${name} ${text(before)} → ${text(after)}`);
}

test('a Service and its slices come together in any order', async () => {
  const table = new ServiceTable('IPv4', 'n1');
  table.setSlice(sliceOf('web', [{ addresses: ['10.0.0.1'] }]));
  expect(texts(await table.resolve(NO_PAUSES))).toEqual([]);
  table.setService('default/web', WEB);
  expect(texts(await table.resolve(NO_PAUSES))).toEqual(['default/web:http/TCP - → 80[10.0.0.1]']);
  table.setSlice(sliceOf('web', [{ addresses: ['10.0.0.2'] }], { name: 'web-2' }));
  expect(texts(await table.resolve(NO_PAUSES))).toEqual(['default/web:http/TCP 80[10.0.0.1] → 80[10.0.0.1 10.0.0.2]']);
  table.removeSlice(sliceOf('web', []));
  expect(texts(await table.resolve(NO_PAUSES))).toEqual(['default/web:http/TCP 80[10.0.0.1 10.0.0.2] → 80[10.0.0.2]']);
  table.setService('default/web', undefined);
  expect(texts(await table.resolve(NO_PAUSES))).toEqual(['default/web:http/TCP 80[10.0.0.2] → -']);
  expect(table.ports.size).toBe(0);
});

test('what changed back, or changed nothing that counts, is no change', async () => {
  const table = new ServiceTable('IPv4', 'n1');
  table.setService('default/web', WEB);
  await table.resolve(NO_PAUSES);
  table.setSlice(sliceOf('web', [{ addresses: ['10.0.0.1'] }]));
  table.removeSlice(sliceOf('web', []));
  table.setService('default/web', { ...WEB, metadata: { ...WEB.metadata, labels: { a: 'b' } } });
  expect(table.pending).toBe(1);
  expect(await table.resolve(NO_PAUSES)).toEqual([]);
  expect(table.pending).toBe(0);
});

test('every condition of an endpoint counts, for connections are kept to those that serve', async () => {
  const table = new ServiceTable('IPv4', 'n1');
  table.setService('default/web', WEB);
  const states = [
    { ready: false },
    { ready: false, serving: false },
    { ready: false, serving: false, terminating: true },
  ];
  for (const conditions of states) {
    table.setSlice(sliceOf('web', [{ addresses: ['10.0.0.1'], conditions }]));
    expect(await table.resolve(NO_PAUSES)).toHaveLength(1);
  }
});

test('ports of a Service come and go one by one', async () => {
  const table = new ServiceTable('IPv4', 'n1');
  const withPorts = (...names: string[]) =>
    serviceOf('web', { clusterIP: '10.96.0.1', ports: names.map((name, at) => ({ name, port: 80 + at })) });
  table.setService('default/web', withPorts('a', 'b'));
  await table.resolve(NO_PAUSES);
  table.setService('default/web', withPorts('b', 'c'));
  expect(texts(await table.resolve(NO_PAUSES))).toEqual([
    'default/web:a/TCP 80[] → -',
    'default/web:b/TCP 81[] → 80[]',
    'default/web:c/TCP - → 81[]',
  ]);
  expect([...table.ports.keys()]).toEqual(['default/web:b/TCP', 'default/web:c/TCP']);
});

test('slices of the other family concern nothing', () => {
  const table = new ServiceTable('IPv4', 'n1');
  expect(table.setSlice(sliceOf('web', [], { addressType: 'IPv6' }))).toBe(false);
  expect(table.removeSlice(sliceOf('web', []))).toBe(false);
});

test('another zone of the node resolves everything again', async () => {
  const table = new ServiceTable('IPv4', 'n1');
  const hinted = (address: string, zone: string) => ({ addresses: [address], hints: { forZones: [{ name: zone }] } });
  table.setService('default/web', WEB);
  table.setSlice(sliceOf('web', [hinted('10.0.0.1', 'a'), hinted('10.0.0.2', 'b')]));
  expect(texts(await table.resolve(NO_PAUSES))).toEqual(['default/web:http/TCP - → 80[10.0.0.1 10.0.0.2]']);
  expect(table.setZone('b')).toBe(true);
  expect(texts(await table.resolve(NO_PAUSES))).toEqual(['default/web:http/TCP 80[10.0.0.1 10.0.0.2] → 80[10.0.0.2]']);
  expect(table.setZone('b')).toBe(false);
});

test('long work makes pauses', async () => {
  const table = new ServiceTable('IPv4', 'n1');
  for (let at = 0; at < 10; at++)
    table.setService(`default/web-${at}`, serviceOf(`web-${at}`, { clusterIP: '10.96.0.1' }));
  let pauses = 0;
  await table.resolve({ isOver: true, next: async () => void (pauses += 1) });
  expect(pauses).toBe(10);
});
