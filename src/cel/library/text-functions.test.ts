import fc from 'fast-check';
import { expect, test } from 'vitest';
import { charAt, indexOf, lastIndexOf, replaceText, splitText, substring } from './text-functions.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '👍'), maxLength: 12 });
const part = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 3 });

/** The positions, in code points, where a part is found. */
function places(whole: string, wanted: string): number[] {
  const [all, piece] = [[...whole], [...wanted]];
  return all.flatMap((_, at) => (piece.every((character, index) => all[at + index] === character) ? [at] : []));
}

test('searches count code points, from both ends and from any position', () => {
  fc.assert(
    fc.property(text, part, fc.nat(12), (whole, wanted, start) => {
      const found = places(whole, wanted);
      expect(indexOf(whole, wanted, start)).toBe(found.find((at) => at >= start) ?? -1);
      expect(lastIndexOf(whole, wanted, undefined)).toBe(found.at(-1) ?? -1);
      const isInside = start < [...whole].length;
      expect(lastIndexOf(whole, wanted, start)).toBe(isInside ? (found.filter((at) => at <= start).at(-1) ?? -1) : -1);
    }),
  );
});

test('long parts are found like short ones', () => {
  const long = 'ab😀'.repeat(40);
  expect(lastIndexOf(`x${long}y${long}z`, long, undefined)).toBe(122);
  expect(lastIndexOf(`x${long}y${long}z`, long, 121)).toBe(1);
  expect(lastIndexOf(long.slice(2), long, undefined)).toBe(-1);
});

test('a search with many near-matches takes linear time', () => {
  const almost = `${'a'.repeat(300_000)}b`;
  expect(lastIndexOf('a'.repeat(1_000_000), almost, undefined)).toBe(-1);
  expect(indexOf('a'.repeat(1_000_000), `b${'a'.repeat(300_000)}`, 0)).toBe(-1);
});

test('slices never split a character', () => {
  expect(charAt('a😀b', 1)).toBe('😀');
  expect(charAt('a😀b', 3)).toBe('');
  expect(substring('a😀b', 1, 2)).toBe('😀');
  expect(splitText('a😀b', '', -1)).toEqual(['a', '😀', 'b']);
  expect(splitText('a,b,c', ',', 2)).toEqual(['a', 'b,c']);
  expect(replaceText('a😀', '', { fresh: '-', limit: -1 })).toBe('-a-😀-');
});
