import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonPrefix, jsonObjectEnd } from './json-bytes.ts';

describe('jsonObjectEnd()', () => {
  test('finds the end of a nested object', () => {
    expect(jsonObjectEnd(Buffer.from('{"a":{"b":"}"},"c":1}'), 5)).toBe(14);
  });

  test('ignores brackets and quotes in strings', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (object, after) => {
        const json = JSON.stringify(object);
        const bytes = Buffer.from(`${json}${JSON.stringify(after)}}`);
        expect(bytes.subarray(0, jsonObjectEnd(bytes, 0)).toString()).toBe(json);
      }),
    );
  });

  test('throws when the object does not end', () => {
    expect(() => jsonObjectEnd(Buffer.from('{"a":"}'), 0)).toThrow('truncated');
  });
});

describe('isJsonPrefix()', () => {
  test('compares at an offset', () => {
    const bytes = Buffer.from('{"a":1}');

    expect(isJsonPrefix(bytes, Buffer.from('"a"'), 1)).toBe(true);
    expect(isJsonPrefix(bytes, Buffer.from('"b"'), 1)).toBe(false);
    expect(isJsonPrefix(bytes, Buffer.from('"a":1}}'), 1)).toBe(false);
  });
});
