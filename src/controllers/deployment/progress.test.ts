import { describe, expect, test } from 'vitest';
import type { Condition } from './conditions.ts';
import { countPods } from './deployment-status.ts';
import { progressCheckInMs, withPause, withProgress, withReplicaFailure } from './progress.ts';
import { sortSets } from './replica-sets.ts';
import { ago, type DeploymentFacts, NOW, set, view } from './testing/samples.ts';

function progressing(reason: string, { seconds = 100, status = 'True' } = {}): Condition {
  const at = ago(seconds);
  return { type: 'Progressing', status, reason, message: '', lastUpdateTime: at, lastTransitionTime: at };
}

/** The Progressing condition for a current ReplicaSet with these counts. */
function conditionFor(
  known: Condition[],
  facts: DeploymentFacts,
  counts: Record<string, number>,
): Condition | undefined {
  const deployment = view(facts);
  const sets = sortSets([set('web-1', 10, { image: 'new', status: { replicas: 10, ...counts } })], deployment.template);
  const input = { deployment, sets, counts: countPods(deployment, sets), nowMs: NOW };
  return withProgress(known, input).find(({ type }) => type === 'Progressing');
}

describe('the Progressing condition', () => {
  test('reports a complete rollout', () => {
    const status = { replicas: 10, updatedReplicas: 10, readyReplicas: 10, availableReplicas: 10 };
    const condition = conditionFor(
      [progressing('ReplicaSetUpdated')],
      { status },
      { readyReplicas: 10, availableReplicas: 10 },
    );
    expect(condition).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
    expect(condition?.message).toBe('ReplicaSet "web-1" has successfully progressed.');
    expect(condition?.lastTransitionTime).toBe(ago(100));
  });

  test('is rewritten with every progress', () => {
    const status = { replicas: 10, updatedReplicas: 10, readyReplicas: 4 };
    const condition = conditionFor([progressing('ReplicaSetUpdated')], { status }, { readyReplicas: 5 });
    expect(condition).toMatchObject({ reason: 'ReplicaSetUpdated', message: 'ReplicaSet "web-1" is progressing.' });
    expect([condition?.lastUpdateTime, condition?.lastTransitionTime]).toEqual([ago(0), ago(100)]);
  });

  test('reports a missed deadline', () => {
    const status = { replicas: 10, updatedReplicas: 10 };
    const late = progressing('ReplicaSetUpdated', { seconds: 601 });
    expect(conditionFor([late], { status }, {})).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "web-1" has timed out progressing.',
    });
    expect(conditionFor([progressing('ReplicaSetUpdated', { seconds: 600 })], { status }, {})?.reason).toBe(
      'ReplicaSetUpdated',
    );
  });

  test('reports no missed deadline for a rollout that was complete before', () => {
    const status = { replicas: 10, updatedReplicas: 10, readyReplicas: 10, availableReplicas: 10 };
    const known = progressing('NewReplicaSetAvailable', { seconds: 9999 });
    expect(conditionFor([known], { status }, { readyReplicas: 9, availableReplicas: 9 })).toEqual(known);
  });

  test('is absent without a deadline', () => {
    const facts = { spec: { progressDeadlineSeconds: 2 ** 31 - 1 } };
    expect(conditionFor([progressing('ReplicaSetUpdated')], facts, {})).toBeUndefined();
  });

  test('is checked again when the deadline is over', () => {
    const deployment = view();
    const sets = sortSets([set('web-1', 10, { image: 'new' })], deployment.template);
    const input = { deployment, sets, counts: countPods(deployment, sets), nowMs: NOW };
    expect(progressCheckInMs([progressing('ReplicaSetUpdated', { seconds: 180 })], input)).toBe(421_000);
    expect(progressCheckInMs([progressing('ReplicaSetUpdated', { seconds: 600 })], input)).toBe(1);
    expect(progressCheckInMs([progressing('ProgressDeadlineExceeded', { seconds: 700 })], input)).toBeUndefined();
    expect(progressCheckInMs([progressing('NewReplicaSetAvailable', { seconds: 90_000 })], input)).toBeUndefined();
    expect(progressCheckInMs([], input)).toBeUndefined();
  });

  test('reports pausing and resuming', () => {
    const [paused] = withPause([progressing('ReplicaSetUpdated')], view({ spec: { paused: true } }), NOW);
    expect(paused).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' });
    const [resumed] = withPause(paused === undefined ? [] : [paused], view(), NOW);
    expect(resumed).toMatchObject({ status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' });
  });

  test('keeps reporting a missed deadline while paused', () => {
    const known = [progressing('ProgressDeadlineExceeded', { status: 'False' })];
    expect(withPause(known, view({ spec: { paused: true } }), NOW)).toEqual(known);
  });
});

test('the failure of the current ReplicaSet takes precedence over that of an old one, and is removed when it ends', () => {
  const failing = (message: string): Condition[] => [
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime: ago(5) },
  ];
  const current = set('current', 1, { image: 'new', status: { conditions: failing('current') } });
  const old = set('old', 1, { status: { conditions: failing('old') } });
  const condition = withReplicaFailure([], sortSets([old, current], view().template));
  expect(condition).toEqual([{ ...failing('current')[0], lastUpdateTime: ago(5) }]);
  expect(withReplicaFailure(condition, { current: set('current', 1), old: [] })).toEqual([]);
});
