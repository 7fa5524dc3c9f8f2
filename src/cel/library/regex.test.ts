import { describe, expect, test } from 'vitest';
import { CelError } from '../values/index.ts';
import { compilePattern, type Pattern, TOO_MUCH_WORK } from './regex.ts';

function pattern(source: string): Pattern {
  const compiled = compilePattern(source);
  if (!compiled.ok) throw compiled.error;
  return compiled.pattern;
}

/** Letters in an order that does not repeat. */
function mixed(length: number): string {
  let state = 1;
  return Array.from({ length }, () =>
    (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) > 2 ** 30 ? 'a' : 'b',
  ).join('');
}

describe('a long text', () => {
  test.each([
    ['^[a-z]+$', true],
    ['^([a-w]|x|y)*z?$', true],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', true],
    ['x{1,200}$', true],
    ['y', false],
    ['^x{0,1000}$', false],
  ])('is matched with %s, of which a small automaton can be made', (source, matches) => {
    expect(pattern(source).test('x'.repeat(1_000_000))).toBe(matches);
  });

  test.each(['^(?:[a-z]|ä|😀|字)+$', '\\bend$', '(?m)^字😀$', '[^a-z]😀\\n', 'x$'])(
    'of any characters is matched with %s as a short one is',
    (source) => {
      for (const end of ['', '😀', '字😀\n', ' end', 'end', 'ä\n字😀', '\ud83d', 'x']) {
        const long = 'aä😀字'.repeat(50_000) + end;
        expect(pattern(source).test(long)).toBe(pattern(source).test(`aä😀字${end}`));
      }
    },
  );

  test.each([
    ['(x{1,500}){1,2}$', `${'x'.repeat(100_000)}y`],
    ['(a|b)*a(a|b){20}$', `${mixed(300_000)}c`],
  ])('is not matched with %s, which would take seconds', (source, text) => {
    expect(pattern(source).test(text)).toBe(TOO_MUCH_WORK);
    expect(pattern(source).find(text)).toBe(TOO_MUCH_WORK);
    expect(pattern(source).findAll(text, -1)).toBe(TOO_MUCH_WORK);
  });
});

test('texts of usual length are matched with any pattern, also after a long one', () => {
  const nested = pattern('(x{1,500}){1,2}$');
  expect(nested.test('x'.repeat(900))).toBe(true);
  expect(nested.test(`${'x'.repeat(100_000)}y`)).toBeInstanceOf(CelError);
  expect(nested.test('x'.repeat(900))).toBe(true);
  expect(nested.test(`${'x'.repeat(900)}y`)).toBe(false);
  expect(pattern('(a|b)*a(a|b){20}$').test(`${mixed(10_000)}a${mixed(20)}`)).toBe(true);
});
