import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexSet } from './index-set.ts';

test.each([
  [[], ''],
  [[3], '3'],
  [[4, 3], '3,4'],
  [[1, 3, 4, 5, 9], '1,3-5,9'],
])('writes %j as "%s"', (indexes, text) => {
  expect(IndexSet.of(indexes).toString()).toBe(text);
});

test('skips malformed parts and indexes beyond the end', () => {
  expect(IndexSet.parse('0,x,2-y,4-7,9', 6).toString()).toBe('0,4,5');
});

const indexes = fc.uniqueArray(fc.integer({ min: 0, max: 40 }));

test('is a set', () => {
  fc.assert(
    fc.property(indexes, indexes, fc.integer({ min: 0, max: 20 }), (left, right, count) => {
      const [a, b] = [IndexSet.of(left), IndexSet.of(right)];
      const both = new Set([...left, ...right]);
      expect(IndexSet.parse(a.toString(), 41).toString()).toBe(a.toString());
      expect(a.with(b).size).toBe(both.size);
      expect(a.overlap(b)).toBe(left.filter((index) => right.includes(index)).length);
      expect(right.filter((index) => a.has(index))).toEqual(right.filter((index) => left.includes(index)));
      const missing = Array.from({ length: 41 }, (_, index) => index).filter((index) => !left.includes(index));
      expect(a.firstMissing(count, 41)).toEqual(missing.slice(0, count));
    }),
  );
});
