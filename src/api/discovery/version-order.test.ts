import { expect, test } from 'vitest';
import { compareVersions } from './version-order.ts';

test('compareVersions() puts stable before beta before alpha, newer before older, and other names last', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
    'v1gamma1',
  ];
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  expect(compareVersions('v1', 'v1')).toBe(0);
});
