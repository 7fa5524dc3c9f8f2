import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceOf } from './line-difference.ts';

test('differenceOf() finds the lines that were removed and added', () => {
  const lines = differenceOf(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']);
  expect(lines.map(({ type, text }) => `${type[0]} ${text}`)).toEqual(['s a', 'r b', 'a x', 's c', 's d', 'a e']);
});

test('both texts can be read from the difference, and nothing that is the same in both at once is more than needed', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
  fc.assert(
    fc.property(words, words, (before, after) => {
      const lines = differenceOf(before, after);
      expect(lines.filter(({ type }) => type !== 'added').map(({ text }) => text)).toEqual(before);
      expect(lines.filter(({ type }) => type !== 'removed').map(({ text }) => text)).toEqual(after);
      expect(lines.filter(({ type }) => type === 'same').length).toBe(longestCommon(before, after));
    }),
  );
});

test('texts that have nothing in common are shown one after the other', () => {
  const before = Array.from({ length: 3000 }, (_, index) => `before ${index}`);
  const after = Array.from({ length: 3000 }, (_, index) => `after ${index}`);
  expect(differenceOf(before, after).length).toBe(6000);
});

function longestCommon(left: readonly string[], right: readonly string[]): number {
  let row = Array.from({ length: right.length + 1 }, () => 0);
  for (const word of left) {
    const next = [0];
    for (const [index, other] of right.entries())
      next.push(word === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
