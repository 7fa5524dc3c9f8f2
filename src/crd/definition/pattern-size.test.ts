import { expect, test } from 'vitest';
import { patternSize } from './pattern-size.ts';

test.each([
  ['abc', 3],
  ['[a-z]', 1],
  ['\\(\\[a', 3],
  ['a{1000}', 1000],
  ['a{2,5}', 5],
  ['a{2,}', 2],
  ['(ab){10}', 30],
  ['((a{10}){10}){5}', 555],
  ['x(', 1],
])('the program of %j has about %d steps', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});

test('no pattern counts for more than its characters a thousand times', () => {
  expect(patternSize('((a{999}){999}){999}')).toBe(20_000);
});
