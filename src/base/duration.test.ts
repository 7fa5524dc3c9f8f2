import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, formatGoDuration, parseDuration, parseGoDuration } from './duration.ts';

describe('parseDuration()', () => {
  test.each([
    ['0', 0],
    ['+0', 0],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['-1.5s', -1500],
    ['.5m', 30_000],
    ['1.h', 3_600_000],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['1μs', 0.001],
    ['1ns', 0.000001],
    ['30d', 2_592_000_000],
    ['1d12h', 129_600_000],
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
});

// Each text and its nanoseconds or error as Go 1.26's time.ParseDuration answers.
describe('parseGoDuration() agrees with Go on', () => {
  test.each([
    ['0.3333333333333333333h', 1_200_000_000_000n],
    ['0.1s', 100_000_000n],
    ['1.000000001s', 1_000_000_001n],
    ['39h9m14.425s', 140_954_425_000_000n],
    ['9223372036854775807ns', 9_223_372_036_854_775_807n],
    ['-9223372036854775808ns', -9_223_372_036_854_775_808n],
    ['2562047h47m16.854775807s', 9_223_372_036_854_775_807n],
    ['0.100000000000000000000h', 360_000_000_000n],
    ['0.9223372036854775807h', 3_320_413_933_267n],
  ])('%j', (text, ns) => {
    expect(parseGoDuration(text)).toBe(ns);
  });

  test.each([
    ['', 'time: invalid duration ""'],
    ['3', 'time: missing unit in duration "3"'],
    ['-', 'time: invalid duration "-"'],
    ['s', 'time: invalid duration "s"'],
    ['.', 'time: invalid duration "."'],
    ['.s', 'time: invalid duration ".s"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1 s', 'time: unknown unit " s" in duration "1 s"'],
    ['1..5s', 'time: missing unit in duration "1..5s"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['1é"', 'time: unknown unit "\\xc3\\xa9\\"" in duration "1\\xc3\\xa9\\""'],
    ['99999999999999999999', 'time: invalid duration "99999999999999999999"'],
    ['3000000h', 'time: invalid duration "3000000h"'],
  ])('refusing %j', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(message);
  });
});

describe('formatDuration()', () => {
  test.each([
    [0, '0s'],
    [90_000, '1m30s'],
    [3_600_000, '1h0m0s'],
    [1500, '1.5s'],
    [1.5, '1.5ms'],
    [0.5, '500µs'],
    [0.000001, '1ns'],
    [-90_000, '-1m30s'],
    [2_592_000_000, '720h0m0s'],
  ])('writes %d ms as %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('rejects infinite numbers', () => {
    expect(() => formatDuration(Infinity)).toThrow('Infinity is not a number of milliseconds');
  });
});

test('a duration written and read again is the same duration', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (ns) => {
      expect(parseGoDuration(formatGoDuration(ns))).toBe(ns);
    }),
  );
});
