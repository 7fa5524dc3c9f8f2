import { expect, test } from 'vitest';
import type { Node, Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { isOutOfService, isTerminated, surplusOf } from './pod-selection.ts';

function pod(name: string, status: Pod['status'], creationTimestamp = '2026-01-01T00:00:00Z'): Observed<Pod> {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp },
    status,
  } as Observed<Pod>;
}

test('succeeded and failed pods are terminated, others are not', () => {
  const phases = ['Pending', 'Running', 'Unknown', 'Succeeded', 'Failed'] as const;

  expect(phases.filter((phase) => isTerminated(pod('p', { phase })))).toEqual(['Succeeded', 'Failed']);
});

test('evicted pods are deleted first, then the oldest, then by name', () => {
  const pods = [
    pod('young', { phase: 'Failed' }, '2026-01-03T00:00:00Z'),
    pod('b', { phase: 'Succeeded' }),
    pod('a', { phase: 'Succeeded' }),
    pod('evicted', { phase: 'Failed', reason: 'Evicted' }, '2026-01-04T00:00:00Z'),
    pod('running', { phase: 'Running' }),
  ];

  expect(surplusOf(pods, 0).map(({ metadata }) => metadata.name)).toEqual(['evicted', 'a', 'b', 'young']);
  expect(surplusOf(pods, 2).map(({ metadata }) => metadata.name)).toEqual(['evicted', 'a']);
  expect(surplusOf(pods, 4)).toEqual([]);
});

test('a node is out of service when it has the taint and is not ready', () => {
  const node = (ready: string, key: string): Observed<Node> =>
    ({
      spec: { taints: [{ key, effect: 'NoExecute' }] },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    }) as unknown as Observed<Node>;
  const taint = 'node.kubernetes.io/out-of-service';

  expect(isOutOfService(node('False', taint))).toBe(true);
  expect(isOutOfService(node('True', taint))).toBe(false);
  expect(isOutOfService(node('Unknown', 'other'))).toBe(false);
});
