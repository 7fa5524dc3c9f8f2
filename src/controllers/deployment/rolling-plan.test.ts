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

  test('is the full size at once with the Recreate strategy', () => {
    expect(currentSetSize(view({ spec: { strategy: { type: 'Recreate' } } }), 10, 0)).toBe(10);
  });
});

/** Shrinks old sets, given as [size, available] from old to new, and returns the steps as [index, new size]. */
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
  test('shrink by maxUnavailable', () => {
    expect(shrink(2, [[10, 10]], [0, 0])).toEqual([[0, 8]]);
  });

  test('shrink by the number of available new pods', () => {
    expect(shrink(0, [[10, 10]], [5, 3])).toEqual([[0, 7]]);
  });

  test('do not shrink for unavailable new pods', () => {
    expect(shrink(2, [[8, 8]], [5, 0])).toEqual([]);
  });

  test('lose unavailable pods first, and others in a separate step', () => {
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

  test('that are empty stay empty', () => {
    expect(shrink(0, [[0, 0]], [10, 10])).toEqual([]);
  });

  test('do not shrink while one of them reports more pods than its size', () => {
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

  test('do not shrink while the status of one of them lags behind its size', () => {
    const behind = set('old', 10, { status: { availableReplicas: 10, observedGeneration: 0 } });
    const current = set('current', 5, { status: { availableReplicas: 5 } });
    expect(shrinkOldSets(rolling(10, { maxUnavailable: 2 }), current, [behind])).toEqual([]);
  });

  test('lose unavailable pods only as far as the minimum allows', () => {
    expect(shrink(2, [[8, 7]], [5, 0])).toEqual([]);
  });
});
