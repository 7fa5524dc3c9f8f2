import { expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

test('shows what differs with three lines around it', () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 };
  expect(unifiedDiff(before, { ...before, e: 50 })).toBe(
    '@@ -3,7 +3,7 @@\n  "b": 2,\n  "c": 3,\n  "d": 4,\n- "e": 5,\n+ "e": 50,\n  "f": 6,\n  "g": 7,\n  "h": 8,\n',
  );
});

test('says nothing about what is equal', () => {
  expect(unifiedDiff({ a: [1] }, { a: [1] })).toBe('');
});
