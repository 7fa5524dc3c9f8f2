import { expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { backoffMs, finishedMs, NO_FAILURES, withEnded } from './pod-backoff.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

function pod(status: Pod['status'], more: object = {}): Observed<Pod> {
  const metadata = { name: 'p', uid: 'p', resourceVersion: '1', creationTimestamp: at(0), ...more };
  return { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers: [] }, status };
}

function ended(seconds: number): Observed<Pod> {
  const state = { terminated: { exitCode: 0, finishedAt: at(seconds) } };
  return pod({ containerStatuses: [{ name: 'c', state, ready: false, restartCount: 0, image: '', imageID: '' }] });
}

test.each([
  ['its last container', ended(30), 30],
  [
    'when it stopped being ready',
    pod({ conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(20) }] }),
    20,
  ],
  ['when it was deleted', pod({}, { deletionTimestamp: at(40), deletionGracePeriodSeconds: 30 }), 10],
  ['its creation', pod({}), 0],
])('the end of a pod is that of %s', (_, ofPod, seconds) => {
  expect(finishedMs(ofPod)).toBe(START + seconds * 1000);
});

test('failures add up until there is a success', () => {
  const one = withEnded(NO_FAILURES, { succeeded: [], failed: [ended(1)] });
  const three = withEnded(one, { succeeded: [], failed: [ended(3), ended(2)] });
  expect(three).toEqual({ count: 3, lastMs: START + 3000 });
  expect(withEnded(three, { succeeded: [], failed: [] })).toEqual(three);
  expect(withEnded(three, { succeeded: [ended(5)], failed: [ended(4), ended(6)] })).toEqual({
    count: 1,
    lastMs: START + 6000,
  });
  expect(withEnded(three, { succeeded: [ended(5)], failed: [] })).toEqual(NO_FAILURES);
});

test('pods wait for 10 s, doubling to 10 minutes', () => {
  const waits = [0, 1, 2, 3, 7, 8, 2000].map((count) => backoffMs({ count, lastMs: START }, START) / 1000);
  expect(waits).toEqual([0, 10, 20, 40, 600, 600, 600]);
  expect(backoffMs({ count: 1, lastMs: START }, START + 11_000)).toBe(0);
});
