import { expect, test } from 'vitest';
import type { Taint, Toleration } from '../types/core/v1.d.ts';
import { hasUntolerated, tolerates } from './taints.ts';

const taint: Taint = { key: 'k', value: 'v', effect: 'NoExecute' };

test.each<[why: string, toleration: Toleration, isTolerated: boolean]>([
  ['the same key, value and effect', { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute' }, true],
  ['no operator means Equal', { key: 'k', value: 'v' }, true],
  ['another value', { key: 'k', value: 'w' }, false],
  ['another effect', { key: 'k', operator: 'Exists', effect: 'NoSchedule' }, false],
  ['Exists without a key is about everything', { operator: 'Exists' }, true],
  ['Equal without a key is about every key with that value', { operator: 'Equal', value: 'v' }, true],
  ['an empty effect is about every effect', { key: 'k', operator: 'Exists', effect: '' as never }, true],
  ['numbers are not compared: the feature is off', { key: 'k', operator: 'Gt' as never, value: '3' }, false],
])('%s', (_, toleration, isTolerated) => {
  expect(tolerates(toleration, taint)).toBe(isTolerated);
});

test('hasUntolerated() checks the effects that prevent scheduling, or the given ones', () => {
  const soft: Taint = { key: 'k', effect: 'PreferNoSchedule' };
  expect(hasUntolerated([soft], [])).toBe(false);
  expect(hasUntolerated([{ key: 'k', effect: 'NoSchedule' }], [])).toBe(true);
  expect(hasUntolerated([{ key: 'k', effect: 'NoSchedule' }], [], ['NoExecute'])).toBe(false);
  expect(hasUntolerated([taint], [{ operator: 'Exists' }])).toBe(false);
});
