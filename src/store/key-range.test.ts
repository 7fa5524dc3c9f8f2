import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains, prefixRange, singleKey } from './key-range.ts';

const anyString = fc.string({ unit: 'binary', maxLength: 8 });

describe('key ranges', () => {
  test('a prefix range has the keys that start with it and no others', () => {
    expect(prefixRange('/registry/pods/')).toEqual({ from: '/registry/pods/', to: '/registry/pods0' });
    expect(prefixRange('a\u{10ffff}')).toEqual({ from: 'a\u{10ffff}', to: 'b' });
    expect(prefixRange('\ud7ff').to).toBe('\ue000');
    fc.assert(
      fc.property(anyString, anyString, (prefix, key) => {
        fc.pre(!key.startsWith('\u{10ffff}') && !prefix.startsWith('\u{10ffff}'));
        expect(contains(prefixRange(prefix), key)).toBe(key.startsWith(prefix));
        expect(contains(prefixRange(prefix), prefix + key)).toBe(true);
      }),
    );
  });

  test('the range of one key has only that key', () => {
    fc.assert(
      fc.property(anyString, anyString, (key, other) => {
        expect(contains(singleKey(key), key)).toBe(true);
        expect(contains(singleKey(key), other)).toBe(other === key);
      }),
    );
  });
});
