import { describe, expect, test } from 'vitest';
import { decodeUtf8 } from './go-utf8.ts';

describe('decodeUtf8()', () => {
  test.each([
    ['valid text', 'c3a9 f09f9880 e282ac', 'é😀€'],
    ['a lone continuation byte', '61 80 62', 'a\ufffdb'],
    ['a truncated character, byte by byte', 'e282 61', '\ufffd\ufffda'],
    ['a surrogate, byte by byte', 'eda080', '\ufffd\ufffd\ufffd'],
    ['a form that is too long', 'c080 e08080', '\ufffd\ufffd\ufffd\ufffd\ufffd'],
    ['beyond the last character', 'f4908080', '\ufffd\ufffd\ufffd\ufffd'],
    ['a character cut off at the end', '61 f09f98', 'a\ufffd\ufffd\ufffd'],
  ])('reads %s as Go does', (_what, hex, text) => {
    expect(decodeUtf8(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toBe(text);
  });
});
