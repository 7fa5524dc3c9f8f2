import { expect, test } from 'vitest';
import type { Taint } from '../../api/types/core/v1.d.ts';
import { toleranceFor } from './tolerations.ts';

const taint: Taint = { key: 'k', value: 'v', effect: 'NoExecute' };

test('a pod stays for as long as it tolerates every taint', () => {
  expect(toleranceFor([taint], [])).toEqual({ type: 'none' });
  expect(toleranceFor([], [])).toEqual({ type: 'ever' });
  expect(toleranceFor([taint], [{ key: 'k', operator: 'Equal', value: 'v' }])).toEqual({ type: 'ever' });
  expect(toleranceFor([taint], [{ key: 'k', value: 'other' }])).toEqual({ type: 'none' });
  expect(toleranceFor([taint], [{ key: 'k', operator: 'Exists', tolerationSeconds: 5 }])).toEqual({
    type: 'for',
    ms: 5000,
  });
  expect(toleranceFor([taint], [{ operator: 'Exists', effect: 'NoSchedule' }])).toEqual({ type: 'none' });
  expect(toleranceFor([taint], [{ operator: 'Exists', tolerationSeconds: -1 }])).toEqual({ type: 'for', ms: 0 });
});

test('the shortest time counts, of the first toleration for each taint', () => {
  const other: Taint = { key: 'o', effect: 'NoExecute' };
  const tolerations = [
    { key: 'k', operator: 'Exists', tolerationSeconds: 60 },
    { key: 'o', operator: 'Exists', tolerationSeconds: 10 },
    { operator: 'Exists', tolerationSeconds: 1 },
  ] as const;

  expect(toleranceFor([taint, other], tolerations)).toEqual({ type: 'for', ms: 10_000 });
});

test('numeric operators do not match: the feature is off', () => {
  expect(toleranceFor([{ ...taint, value: '5' }], [{ key: 'k', operator: 'Gt', value: '3' }])).toEqual({
    type: 'none',
  });
});
