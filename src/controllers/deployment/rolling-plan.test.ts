import { describe, expect, test } from 'vitest';
import { currentSetSize, shrinkOldSets } from './rolling-plan.ts';
import { rolling, set, view } from './testing/samples.ts';

describe('the size of the current ReplicaSet', () => {
  test.each([
    // replicas, surge; size of all, its size, new size
    [10, 5, { all: 10, current: 0, next: 5 }],
    [10, 5, { all: 15, current: 5, next: 5 }],
    [10, 5, { all: 12, current: 5, next: 8 }],
    [10, 5, { all: 11, current: 10, next: 10 }],
    [10, 0, { all: 10, current: 0, next: 0 }],
    [10, '20%', { all: 10, current: 0, next: 2 }],
    [3, 5, { all: 12, current: 12, next: 3 }],
    [10, 20, { all: 10, current: 0, next: 10 }],
  ])('of %i replicas with surge %s: %o', (replicas, maxSurge, { all, current, next }) => {
    expect(currentSetSize(rolling(replicas, { maxSurge }), all, current)).toBe(next);
  });

  test('is all at once when pods are recreated', () => {
    expect(currentSetSize(view({ spec: { strategy: { type: 'Recreate' } } }), 10, 0)).toBe(10);
  });
});

/** Shrinks old sets, given as [size, available] from old to new, and tells the steps as [index, new size]. */
function shrink(
  maxUnavailable: number | string,
  old: readonly (readonly [number, number])[],
  current: readonly [number, number],
): (readonly [number, number])[] {
  const sets = old.map(([size, availableReplicas], index) =>
    set(`old${index}`, size, { ageSeconds: 100 - index, status: { availableReplicas } }),
  );
  const [size, availableReplicas] = current;
  const steps = shrinkOldSets(
    rolling(10, { maxUnavailable, maxSurge: 5 }),
    set('current', size, { status: { availableReplicas } }),
    sets,
  );
  return steps.map((step) => [sets.indexOf(step.set), step.replicas] as const);
}

describe('old ReplicaSets', () => {
  test('shrink by what may be missing', () => {
    expect(shrink(2, [[10, 10]], [0, 0])).toEqual([[0, 8]]);
  });

  test('shrink by as many as new pods are available', () => {
    expect(shrink(0, [[10, 10]], [5, 3])).toEqual([[0, 7]]);
  });

  test('do not shrink for new pods that are not available', () => {
    expect(shrink(2, [[8, 8]], [5, 0])).toEqual([]);
  });

  test('lose unavailable pods first, and then others in a step of its own', () => {
    expect(shrink(2, [[10, 8]], [5, 5])).toEqual([
      [0, 8],
      [0, 3],
    ]);
  });

  test('shrink oldest first', () => {
    expect(
      shrink(
        0,
        [
          [5, 5],
          [5, 5],
        ],
        [7, 7],
      ),
    ).toEqual([
      [0, 0],
      [1, 3],
    ]);
  });

  test('that are empty stay so', () => {
    expect(shrink(0, [[0, 0]], [10, 10])).toEqual([]);
  });

  test('do not shrink while one of them says to have more pods than it should', () => {
    expect(shrink(2, [[4, 8]], [5, 5])).toEqual([]);
    expect(
      shrink(
        2,
        [
          [2, 0],
          [4, 8],
        ],
        [5, 5],
      ),
    ).toEqual([[0, 0]]);
  });

  test('do not shrink while one of them has not caught up with its size', () => {
    const behind = set('old', 10, { status: { availableReplicas: 10, observedGeneration: 0 } });
    const current = set('current', 5, { status: { availableReplicas: 5 } });
    expect(shrinkOldSets(rolling(10, { maxUnavailable: 2 }), current, [behind])).toEqual([]);
  });

  test('are cleaned of unavailable pods only as far as the minimum allows', () => {
    expect(shrink(2, [[8, 7]], [5, 0])).toEqual([]);
  });
});
