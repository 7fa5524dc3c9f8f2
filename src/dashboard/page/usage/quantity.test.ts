import { expect, test } from 'vitest';
import { formatBytes, formatCpu, numberOf } from './quantity.ts';

test.each([
  ['250m', 0.25],
  ['1', 1],
  ['1.5', 1.5],
  ['500000n', 0.0005],
  ['64Mi', 64 * 2 ** 20],
  ['1e3', 1000],
  ['2k', 2000],
  ['x', undefined],
  [undefined, undefined],
  ['1Zi', undefined],
])('%s is %s', (quantity, number) => {
  expect(numberOf(quantity)).toBe(number);
});

test('numbers are written as people read them', () => {
  expect([0.0004, 0.25, 1.234].map(formatCpu)).toEqual(['1m', '250m', '1.23']);
  expect([512, 8 * 2 ** 20, 1.5 * 2 ** 30, 200 * 2 ** 30].map(formatBytes)).toEqual([
    '512 B',
    '8 MiB',
    '1.5 GiB',
    '200 GiB',
  ]);
});
