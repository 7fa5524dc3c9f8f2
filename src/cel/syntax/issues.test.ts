import { expect, test } from 'vitest';
import { Issues } from './issues.ts';
import { Source } from './source.ts';

function shown(text: string, ...offsets: readonly number[]): string {
  const issues = new Issues(new Source(text));
  for (const offset of offsets) issues.report(offset, 'wrong');
  return issues.toString();
}

test('each mistake has its line and a pointer', () => {
  expect(shown('a +\nb ? c', 6)).toBe('ERROR: <input>:2:3: wrong\n | b ? c\n | ..^');
});

test('mistakes are in the order of the text', () => {
  expect(shown('abc', 2, 0).match(/1:\d/g)).toEqual(['1:1', '1:3']);
});

test('double-width characters have a double-width pointer', () => {
  expect(shown("'é' + 世", 6)).toBe("ERROR: <input>:1:7: wrong\n | 'é' + 世\n | .．....＾");
});

test('columns count code points', () => {
  expect(shown("'😀' + x", 7)).toContain('1:7: wrong');
});

test('after a hundred the rest are only counted', () => {
  expect(shown('a', ...Array.from({ length: 103 }, () => 0))).toMatch(/\n3 more errors were truncated$/);
});
