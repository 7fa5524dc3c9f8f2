import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { warningHeaders } from './warning-headers.ts';

describe('warningHeaders()', () => {
  test('quotes the text', () => {
    expect(warningHeaders(['unknown field "spec.foo"', 'a\\b'])).toEqual([
      '299 - "unknown field \\"spec.foo\\""',
      '299 - "a\\\\b"',
    ]);
  });

  test('leaves out texts with control characters', () => {
    expect(warningHeaders(['a\nb', 'c', '\u0085'])).toEqual(['299 - "c"']);
  });

  test('sends non-ASCII text as UTF-8 bytes', () => {
    const [header = ''] = warningHeaders(['grün €']);

    expect(Buffer.from(header, 'latin1').toString('utf8')).toBe('299 - "grün €"');
  });

  test('truncates every text to 256 characters when all together exceed 4096', () => {
    const texts = Array.from({ length: 30 }, (_, index) => String.fromCharCode(97 + (index % 26)).repeat(500));

    const headers = warningHeaders(texts);

    expect(headers.map(({ length }) => length - '299 - ""'.length)).toEqual(Array.from({ length: 16 }, () => 256));
  });

  test('truncates texts only when they do not fit', () => {
    expect(warningHeaders(['a'.repeat(4096)])).toEqual([`299 - "${'a'.repeat(4096)}"`]);
    expect(warningHeaders(['a'.repeat(4096), 'b'])).toEqual([`299 - "${'a'.repeat(256)}"`, '299 - "b"']);
  });
});
