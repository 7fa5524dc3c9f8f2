import { expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

test('shows differences with three lines of context', () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 };
  expect(unifiedDiff(before, { ...before, e: 50 })).toBe(
    '@@ -3,7 +3,7 @@\n  "b": 2,\n  "c": 3,\n  "d": 4,\n- "e": 5,\n+ "e": 50,\n  "f": 6,\n  "g": 7,\n  "h": 8,\n',
  );
});

test('is empty for equal values', () => {
  expect(unifiedDiff({ a: [1] }, { a: [1] })).toBe('');
});

test('counts all lines as changed if there are too many to compare', () => {
  const lines = (prefix: string): string[] => Array.from({ length: 200_000 }, (_, index) => `${prefix}${index}`);
  const diff = unifiedDiff(lines('a'), lines('b'));

  expect(diff.slice(0, 37)).toBe('@@ -1,200002 +1,200002 @@\n [\n- "a0",\n');
  expect(diff.split('\n')).toHaveLength(400_004);
});
