import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { intValueOf, isIntOrString, parseIntOrString, percentOf, scaleIntOrPercent } from './int-or-string.ts';

test('a percentage rounds up to at most one more than it rounds down', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(10_000), (percent, total) => {
      const up = scaleIntOrPercent(`${percent}%`, total, { round: 'up' }) as number;
      const down = scaleIntOrPercent(`${percent}%`, total, { round: 'down' }) as number;
      assert.ok(down * 100 <= percent * total && percent * total <= up * 100 && up - down <= 1);
    }),
  );
});

test('a count is itself, whatever the total', () => {
  expect(scaleIntOrPercent(7, 3, { round: 'up' })).toBe(7);
});

test('only 32-bit integers and strings are values', () => {
  expect([80, 'http', '', -1, 2 ** 31 - 1].every(isIntOrString)).toBe(true);
  expect([1.5, 2 ** 31, true, null, undefined, {}, Number.NaN].some(isIntOrString)).toBe(false);
});

test('text becomes an integer if it is one', () => {
  fc.assert(fc.property(fc.integer(), (value) => assert.equal(parseIntOrString(String(value)), value)));
  expect(parseIntOrString('http')).toBe('http');
  expect(intValueOf('80')).toBe(80);
  expect(intValueOf('http')).toBe(0);
});

test('a percentage is digits and a percent sign', () => {
  expect(percentOf('25%')).toBe(25);
  expect([25, '25', '-25%', '%', 'a%'].map(percentOf)).toEqual(Array(5).fill(undefined));
});
