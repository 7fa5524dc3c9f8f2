import { describe, expect, test } from 'vitest';
import type { ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { PodCounts } from './pod-counts.ts';
import type { WantedReplicas } from './replica-kind.ts';
import { replicaStatus } from './replica-status.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

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

const none: PodCounts = { active: 0, terminating: 0, fullyLabeled: 0, ready: 0, available: 0, hasUnmatched: false };
const quiet = { counts: none, countsTerminating: false, failure: undefined, nowMs: NOW };

describe('the status of a ReplicaSet', () => {
  test('omits zero counts, except those of pods and of terminating ones', () => {
    expect(replicaStatus(owner(), { ...quiet, countsTerminating: true })).toEqual({
      replicas: 0,
      terminatingReplicas: 0,
      observedGeneration: 4,
    });
  });

  test('keeps the first failure until it ends', () => {
    const failed = replicaStatus(owner(), { ...quiet, failure: new Error('quota') });
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
      failure: new Error('other'),
      nowMs: NOW + 5000,
    });
    expect(again.conditions).toEqual(failed.conditions);
    expect(replicaStatus(owner(failed), quiet).conditions).toBeUndefined();
  });

  test('reports failures to delete as such', () => {
    const counts = { ...none, active: 4 };
    const { conditions } = replicaStatus(owner(), { ...quiet, counts, failure: new Error('no') });
    expect(conditions?.[0]?.reason).toBe('FailedDelete');
  });
});
