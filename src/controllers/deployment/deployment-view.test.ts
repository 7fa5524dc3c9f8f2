import { expect, test } from 'vitest';
import { resolveFenceposts } from './deployment-view.ts';
import { rolling, view } from './testing/samples.ts';

test.each([
  [{ maxSurge: 0, maxUnavailable: '1%' }, 2, { surge: 0, unavailable: 1 }],
  [{ maxSurge: '1%', maxUnavailable: '25%' }, 2, { surge: 1, unavailable: 0 }],
  [{ maxSurge: '25%', maxUnavailable: '25%' }, 10, { surge: 3, unavailable: 2 }],
  [{ maxSurge: 3, maxUnavailable: 2 }, 10, { surge: 3, unavailable: 2 }],
  [{}, 10, { surge: 0, unavailable: 1 }],
  [{ maxSurge: 'many' }, 10, { surge: 0, unavailable: 0 }],
])('%o of %i replicas are %o', (bounds, replicas, resolved) => {
  expect(resolveFenceposts(bounds, replicas)).toEqual(resolved);
});

test('maxUnavailable is at most the number of replicas', () => {
  expect(rolling(3, { maxUnavailable: 10 }).maxUnavailable).toBe(3);
  expect(rolling(0, { maxUnavailable: 10 }).maxUnavailable).toBe(0);
});

test('maxSurge and maxUnavailable do not apply to the Recreate strategy', () => {
  const { maxSurge, maxUnavailable } = view({ spec: { strategy: { type: 'Recreate' } } });
  expect([maxSurge, maxUnavailable]).toEqual([0, 0]);
});

test('the largest number means no limit', () => {
  const limit = 2 ** 31 - 1;
  const { progressDeadlineSeconds, revisionHistoryLimit } = view({
    spec: { progressDeadlineSeconds: limit, revisionHistoryLimit: limit },
  });
  expect([progressDeadlineSeconds, revisionHistoryLimit]).toEqual([undefined, undefined]);
});
