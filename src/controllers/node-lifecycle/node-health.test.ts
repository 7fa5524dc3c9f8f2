import { expect, test } from 'vitest';
import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { Node, NodeCondition } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { conditionsOfLost, deadlineOf, type NodeHealth, seeLease, seeNode } from './node-health.ts';

const created = '2026-01-01T00:00:00Z';
const grace = { monitorMs: 50_000, startupMs: 60_000 };

function node(conditions?: NodeCondition[]): Observed<Node> {
  const metadata = { name: 'n', uid: 'n', resourceVersion: '1', creationTimestamp: created };
  return { kind: 'Node', apiVersion: 'v1', metadata, status: { conditions } } as Observed<Node>;
}

function ready(lastHeartbeatTime: string, status = 'True'): NodeCondition {
  return { type: 'Ready', status, lastHeartbeatTime, lastTransitionTime: created };
}

function lease(renewTime: string): Observed<Lease> {
  return { spec: { renewTime } } as Observed<Lease>;
}

test('a node that has never reported its status has a longer grace period, starting at its creation', () => {
  const health = seeNode(undefined, node(), Date.parse(created) + 30_000);

  expect(deadlineOf(health, grace)).toBe(Date.parse(created) + 60_000);
});

test("only a new heartbeat counts, at the controller's time", () => {
  const first = seeNode(undefined, node([ready('2020-01-01T00:00:00Z')]), 1000);
  const again = seeNode(first, node([ready('2020-01-01T00:00:00Z')]), 2000);
  const later = seeNode(again, node([ready('2020-01-01T00:00:10Z')]), 3000);

  expect([first, again, later].map(({ seenMs }) => seenMs)).toEqual([1000, 1000, 3000]);
  expect(deadlineOf(later, grace)).toBe(53_000);
});

test('a renewed lease is a heartbeat, an old one is not', () => {
  const health: NodeHealth = seeNode(undefined, node([ready(created)]), 1000);
  const renewed = seeLease(health, lease('2026-01-01T00:00:10.000000Z'), 2000);

  expect(renewed.seenMs).toBe(2000);
  expect(seeLease(renewed, lease('2026-01-01T00:00:10.000000Z'), 3000)).toBe(renewed);
  expect(seeNode(renewed, node([ready(created)]), 4000)).toEqual(renewed);
});

test('the conditions of a lost node are Unknown, except NetworkUnavailable', () => {
  const known = [
    { ...ready(created), reason: 'KubeletReady', message: 'is ready' },
    { type: 'NetworkUnavailable', status: 'False' },
    { type: 'DiskPressure', status: 'False', lastHeartbeatTime: created },
  ];

  const conditions = conditionsOfLost(node(known), '2026-01-01T00:01:00Z');

  const stopped = {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastHeartbeatTime: created,
    lastTransitionTime: '2026-01-01T00:01:00Z',
  };
  const never = { ...stopped, reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
  expect(conditions).toEqual([
    { type: 'Ready', ...stopped },
    { type: 'NetworkUnavailable', status: 'False' },
    { type: 'DiskPressure', ...stopped },
    { type: 'MemoryPressure', ...never },
    { type: 'PIDPressure', ...never },
  ]);
  expect(conditionsOfLost(node([ready(created, 'Unknown')]), created)).toBeUndefined();
});
