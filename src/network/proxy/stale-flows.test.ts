import { expect, test } from 'vitest';
import { type Flow, readFlow } from '../conntrack/index.ts';
import type { ProxiedPort } from '../services/index.ts';
import { ServiceTable } from '../services/service-table.ts';
import { serviceOf, sliceOf } from '../services/testing/services.ts';
import { staleFlowTest } from './stale-flows.ts';

const flow = (destination: string, port: number, answer: string): Flow => ({
  source: '10.0.0.1',
  sourcePort: 1234,
  destination,
  destinationPort: port,
  answerSource: answer,
  answerPort: 5353,
});

async function portsOf(protocol: 'TCP' | 'UDP', isServing: boolean): Promise<Iterable<ProxiedPort>> {
  const table = new ServiceTable('IPv4', 'n1');
  const ports = [{ name: 'dns', protocol, port: 53, nodePort: 30_053 }];
  table.setService(
    'default/dns',
    serviceOf('dns', { type: 'NodePort', clusterIP: '10.96.0.10', externalIPs: ['192.0.2.9'], ports }),
  );
  const conditions = { ready: false, serving: isServing, terminating: true };
  table.setSlice(
    sliceOf('dns', [{ addresses: ['10.244.0.1'], conditions }], { ports: [{ name: 'dns', protocol, port: 5353 }] }),
  );
  await table.resolve({ isOver: false, next: async () => undefined });
  return table.ports.values();
}

test('lines of conntrack are read', () => {
  const line =
    'udp      17 29 src=10.0.0.1 dst=10.96.0.10 sport=1234 dport=53 [UNREPLIED] src=10.244.0.5 dst=10.0.0.1 sport=5353 dport=1234 mark=0 use=1';
  expect(readFlow(line)).toEqual(flow('10.96.0.10', 53, '10.244.0.5'));
  expect(readFlow('icmp 1 29 src=10.0.0.1 dst=10.0.0.2 type=8 code=0 id=1 src=10.0.0.2 dst=10.0.0.1')).toBeUndefined();
});

test('a flow to an endpoint that does not serve is stale, whichever address it went to', async () => {
  const isStale = staleFlowTest(await portsOf('UDP', true));
  expect(isStale(flow('10.96.0.10', 53, '10.244.0.1'))).toBe(false); // it terminates, but serves
  expect(isStale(flow('10.96.0.10', 53, '10.244.0.2'))).toBe(true);
  expect(isStale(flow('192.0.2.9', 53, '10.244.0.2'))).toBe(true);
  expect(isStale(flow('192.0.2.1', 30_053, '10.244.0.2'))).toBe(true);
  expect(isStale(flow('192.0.2.1', 30_053, '10.244.0.1'))).toBe(false);
  expect(isStale(flow('198.51.100.1', 53, '198.51.100.1'))).toBe(false);
});

test('flows of TCP, and of ports without an endpoint that serves, are left', async () => {
  expect(staleFlowTest(await portsOf('TCP', true))(flow('10.96.0.10', 53, '10.244.0.2'))).toBe(false);
  expect(staleFlowTest(await portsOf('UDP', false))(flow('10.96.0.10', 53, '10.244.0.2'))).toBe(false);
});
