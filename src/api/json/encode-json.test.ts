import { describe, expect, test } from 'vitest';
import { encodeJson, encodePrettyJson } from './encode-json.ts';
import { parseUntyped } from './parse-untyped.ts';

describe('encodeJson()', () => {
  test('escapes what Go escapes', () => {
    expect(encodeJson({ a: '<b> & \u2028\u2029\b\f' })).toBe(String.raw`{"a":"\u003cb\u003e \u0026 \u2028\u2029\b\f"}`);
  });

  test('prints bigints as numbers, whatever strings are around them', () => {
    const value = { a: 9223372036854775807n, b: ['#1', '"##2"', -9007199254740993n], c: '#9223372036854775807' };

    expect(encodeJson(value)).toBe(
      '{"a":9223372036854775807,"b":["#1","\\"##2\\"",-9007199254740993],"c":"#9223372036854775807"}',
    );
    expect(parseUntyped(encodeJson(value))).toEqual(value);
  });

  test('prints bigints indented, too', () => {
    expect(encodePrettyJson({ a: 1n, b: '<' })).toBe('{\n  "a": 1,\n  "b": "\\u003c"\n}');
  });
});

describe('parseUntyped()', () => {
  test('keeps 64-bit integers, and reads larger ones as doubles', () => {
    expect(parseUntyped('[1,9007199254740993,1.0,1e2,18446744073709551616]')).toEqual([
      1,
      9007199254740993n,
      1,
      100,
      18446744073709551616,
    ]);
  });

  test("reports Go's error for numbers beyond the range of doubles", () => {
    expect(() => parseUntyped('{"a":[1e999]}')).toThrow(
      'json: cannot unmarshal number 1e999 into Go value of type float64',
    );
  });
});
