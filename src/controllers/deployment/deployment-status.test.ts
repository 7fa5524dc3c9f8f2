import { expect, test } from 'vitest';
import { countPods, toStatus, withAvailability } from './deployment-status.ts';
import { NOW, rolling, set, view } from './testing/samples.ts';

test('counts are sums over all ReplicaSets; updated ones are those of the current one', () => {
  const status = { replicas: 3, readyReplicas: 2, availableReplicas: 1, terminatingReplicas: 4 };
  const current = set('current', 5, { status });
  const old = [
    set('a', 2, { status: { ...status, replicas: 2 } }),
    set('new-born', 1, { status: { observedGeneration: 0, replicas: 0 } }),
  ];
  expect(countPods(view(), { current, old })).toEqual({
    observedGeneration: 1,
    replicas: 5,
    updatedReplicas: 3,
    readyReplicas: 4,
    availableReplicas: 2,
    unavailableReplicas: 6,
    terminatingReplicas: 8,
  });
});

test('the number of terminating pods is unknown when one ReplicaSet does not report it', () => {
  const { terminatingReplicas } = countPods(view(), { current: set('current', 5), old: [] });
  expect(terminatingReplicas).toBeUndefined();
});

test('counts of zero are omitted, except that of terminating pods', () => {
  const counts = countPods(view(), { current: undefined, old: [] });
  expect(toStatus(counts, { conditions: [], collisionCount: undefined })).toEqual({
    observedGeneration: 1,
    terminatingReplicas: 0,
  });
});

test('a Deployment is available while no more pods are unavailable than allowed', () => {
  const available = (availableReplicas: number): string | undefined =>
    withAvailability([], rolling(10, { maxUnavailable: 2, maxSurge: 0 }), { availableReplicas, nowMs: NOW })[0]?.reason;
  expect(available(8)).toBe('MinimumReplicasAvailable');
  expect(available(7)).toBe('MinimumReplicasUnavailable');
});
