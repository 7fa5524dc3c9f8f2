import { expect, test } from 'vitest';
import type { Pod } from '../types/core/v1.d.ts';
import { isActive, isAvailable, isTerminating, nextAvailableInMs } from './pod-state.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

function readySince(seconds: number): Pod {
  const lastTransitionTime = new Date(NOW - seconds * 1000).toISOString();
  return { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] } };
}

test('a pod that is finished or being deleted is not active', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  expect(isActive({})).toBe(true);
  expect(isActive({ status: { phase: 'Failed' } })).toBe(false);
  expect(isActive({ status: { phase: 'Succeeded' } })).toBe(false);
  expect(isActive({ metadata: { deletionTimestamp } })).toBe(false);
  expect(isTerminating({ metadata: { deletionTimestamp } })).toBe(true);
  expect(isTerminating({ metadata: { deletionTimestamp }, status: { phase: 'Failed' } })).toBe(false);
});

test('a pod is available once it has been ready for long enough', () => {
  expect(isAvailable(readySince(9), 10, NOW)).toBe(false);
  expect(isAvailable(readySince(10), 10, NOW)).toBe(true);
  expect(isAvailable(readySince(0), 0, NOW)).toBe(true);
  expect(isAvailable({}, 0, NOW)).toBe(false);
});

test('the next check is due when the next pod becomes available', () => {
  expect(nextAvailableInMs([readySince(3), readySince(8), readySince(20), {}], 10, NOW)).toBe(2000);
  expect(nextAvailableInMs([readySince(20)], 10, NOW)).toBeUndefined();
});
