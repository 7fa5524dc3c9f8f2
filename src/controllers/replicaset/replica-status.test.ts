import { describe, expect, test } from 'vitest';
import type { ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { WantedReplicas } from './replica-kind.ts';
import { replicaStatus } from './replica-status.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

function pod(labels: Record<string, string>, readySeconds?: number): Observed<Pod> {
  const lastTransitionTime = new Date(NOW - (readySeconds ?? 0) * 1000).toISOString();
  const ready = { type: 'Ready', status: 'True', lastTransitionTime };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', labels },
    status: { conditions: readySeconds === undefined ? [] : [ready] },
  };
}

function owner(status: ReplicaSetStatus = { replicas: 0 }): WantedReplicas {
  const template = { metadata: { labels: { app: 'web', v: '1' } } };
  return {
    replicas: 3,
    minReadySeconds: 10,
    generation: 4,
    selector: { matchLabels: { app: 'web' } },
    template,
    status,
  };
}

const quiet = { terminating: undefined, failure: undefined, nowMs: NOW };

describe('the status of a ReplicaSet', () => {
  test('counts pods that have all labels, are ready, and have been so for long enough', () => {
    const labels = { app: 'web', v: '1' };
    const active = [pod(labels, 20), pod(labels, 5), pod(labels), pod({ app: 'web' })];
    expect(replicaStatus(owner(), { ...quiet, active, terminating: [pod(labels)] })).toEqual({
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 4,
    });
  });

  test('leaves counts of zero out, but not those of pods and of terminating ones', () => {
    expect(replicaStatus(owner(), { ...quiet, active: [], terminating: [] })).toEqual({
      replicas: 0,
      terminatingReplicas: 0,
      observedGeneration: 4,
    });
  });

  test('tells a failure as it was first told, until it is over', () => {
    const failed = replicaStatus(owner(), { ...quiet, active: [], failure: new Error('quota') });
    expect(failed.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'quota',
        lastTransitionTime: '2026-01-01T12:00:00Z',
      },
    ]);
    const again = replicaStatus(owner(failed), {
      ...quiet,
      active: [],
      failure: new Error('other'),
      nowMs: NOW + 5000,
    });
    expect(again.conditions).toEqual(failed.conditions);
    expect(replicaStatus(owner(failed), { ...quiet, active: [] }).conditions).toBeUndefined();
  });

  test('tells failures to delete as such', () => {
    const active = Array.from({ length: 4 }, () => pod({}));
    const { conditions } = replicaStatus(owner(), { ...quiet, active, failure: new Error('no') });
    expect(conditions?.[0]?.reason).toBe('FailedDelete');
  });
});
