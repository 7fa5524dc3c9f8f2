import { expect, test } from 'vitest';
import { readNode } from './node-facts.ts';

test('internal addresses come before external ones, one of each family', () => {
  const addresses = [
    { type: 'ExternalIP', address: '203.0.113.1' },
    { type: 'Hostname', address: 'n1' },
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'InternalIP', address: '192.0.2.2' },
    { type: 'ExternalIP', address: '2001:0db8::1' },
  ] as const;
  const facts = readNode({ metadata: { name: 'n1' }, status: { addresses: [...addresses] } });
  expect(facts.addresses).toEqual({ IPv4: '192.0.2.1', IPv6: '2001:db8::1' });
});

test('a node that is deleted, or about to be, takes no new connections', () => {
  expect(readNode({ metadata: { name: 'n1' } }).isEligible).toBe(true);
  expect(readNode({ metadata: { name: 'n1', deletionTimestamp: '2026-01-01T00:00:00Z' } }).isEligible).toBe(false);
  const taints = [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' as const }];
  expect(readNode({ metadata: { name: 'n1' }, spec: { taints } }).isEligible).toBe(false);
});
