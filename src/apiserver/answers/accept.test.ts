import { describe, expect, test } from 'vitest';
import { parseAccept } from './accept.ts';

function ranges(header: string): readonly string[] {
  return parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);
}

describe('parseAccept()', () => {
  test('puts the higher quality first, and the earlier of equals', () => {
    expect(ranges('a/b;q=0.1, c/d, e/f;q=0.5, g/h')).toEqual(['c/d', 'g/h', 'e/f', 'a/b']);
  });

  test('puts precise types before wildcards, whatever their quality', () => {
    expect(ranges('*/*, application/*, application/json;q=0.2')).toEqual(['application/json', 'application/*', '*/*']);
  });

  test('leaves out invalid media ranges', () => {
    expect(ranges('application, a/b/c, , a/b, ;q=1')).toEqual(['a/b']);
  });

  test('takes a single star for everything', () => {
    expect(ranges('*')).toEqual(['*/*']);
  });

  test('treats a quality that is not a number as zero', () => {
    expect(parseAccept('a/b;q=high')[0]?.quality).toBe(0);
  });

  test('reads parameters, and skips those without a value', () => {
    const [clause] = parseAccept('application/json; as=Table;v=v1;g=meta.k8s.io;x;y=;z=1=2');

    expect([...(clause?.parameters ?? [])]).toEqual([
      ['as', 'Table'],
      ['v', 'v1'],
      ['g', 'meta.k8s.io'],
    ]);
  });

  test('parses a long header of spaces in linear time', () => {
    expect(parseAccept(`${' '.repeat(100_000)}a${' '.repeat(100_000)}b`)).toEqual([]);
  });

  test('sorts long headers', () => {
    const header = Array.from({ length: 1000 }, (_, index) => `a/b${index};q=${index / 1000}`).join(',');

    expect(ranges(header)[0]).toBe('a/b999');
  });
});
