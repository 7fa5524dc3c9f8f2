import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indentJson } from './indent-json.ts';

function indent(json: string): string {
  return Buffer.concat(indentJson(Buffer.from(json))).toString();
}

describe('indentJson()', () => {
  test('indents by two, and keeps empty objects and lists on one line', () => {
    expect(indent('{"a":[1,{"b":{}}],"c":[]}')).toBe(
      '{\n  "a": [\n    1,\n    {\n      "b": {}\n    }\n  ],\n  "c": []\n}',
    );
  });

  test('does not change escapes and long numbers', () => {
    expect(indent('["\\u003ca\\"{,}",12345678901234567890]')).toBe('[\n  "\\u003ca\\"{,}",\n  12345678901234567890\n]');
  });

  test('indents deeply nested values', () => {
    const deep = `${'['.repeat(200)}1${']'.repeat(200)}`;

    expect(indent(deep)).toBe(JSON.stringify(JSON.parse(deep), undefined, 2));
  });

  test('matches JSON.stringify for every value', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value: unknown = JSON.parse(json);
        expect(indent(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
      }),
    );
  });
});
