import { expect, test } from 'vitest';
import { isWanted, ordinalsInSight, placeOf } from './ordinals.ts';

test('a name contains the set and the ordinal', () => {
  expect(placeOf('web-3')).toEqual({ parent: 'web', ordinal: 3 });
  expect(placeOf('web-1-2')).toEqual({ parent: 'web-1', ordinal: 2 });
  expect(placeOf('web-99999999999')).toEqual({ parent: 'web', ordinal: -1 });
  expect(placeOf('web')).toBeUndefined();
  expect(placeOf('web-x')).toBeUndefined();
});

test('a set has as many ordinals as replicas, starting with the first', () => {
  const set = { start: 2, replicas: 3 };
  expect([1, 2, 4, 5].filter((ordinal) => isWanted(set, ordinal))).toEqual([2, 4]);
  expect(ordinalsInSight(set, new Set([0, 3, 9]))).toEqual([2, 3, 4]);
});

test('of a set with too many replicas, the existing and the first missing ordinals are processed', () => {
  const ordinals = ordinalsInSight({ start: 0, replicas: 2 ** 31 - 1 }, new Set([1, 7_000_000, 600]));
  expect(ordinals).toHaveLength(503);
  expect(ordinals.slice(-3)).toEqual([500, 600, 7_000_000]);
});
