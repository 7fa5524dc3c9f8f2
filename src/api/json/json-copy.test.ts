import { describe, expect, test } from 'vitest';
import { decodeJson } from './decode-json.ts';
import { builtInTypes } from '../built-in.ts';
import { JsonBody } from './json-body.ts';
import { jsonCopy } from './json-copy.ts';

describe('jsonCopy()', () => {
  test.each([
    { a: 1, b: [true, null, 'x', -0], c: { d: undefined, e: {} } },
    { 10: 'a', 2: 'b', text: '\u{1f600}<&>' },
    Object.freeze({ list: Object.freeze([Object.freeze({ a: 'b' })]) }),
    [{ op: 'remove', path: '/a' }],
    Object.assign(Object.create(null) as object, { a: 999_999_999_999_999 }),
  ])('gives what printing and parsing gives: %j', (value) => {
    const copy = jsonCopy(value);
    expect(JSON.stringify(copy?.value)).toBe(JSON.stringify(JSON.parse(JSON.stringify(value))));
    expect(copy?.keys).toBe(new JsonBody(JSON.stringify(value)).survey.keys);
  });

  test.each([
    ['a fraction', { a: 0.5 }],
    ['a long number', { a: 1e15 }],
    ['no number', { a: NaN }],
    ['a bigint', { a: 1n }],
    ['a date', { a: new Date(0) }],
    ['bytes', { a: new Uint8Array(1) }],
    ['a method', { toJSON: () => 'x' }],
    ['a hole', { a: [undefined] }],
    ['half a character', { a: '\ud83d' }],
    ['half a character in a name', { '\ud83d': 1 }],
    ['a prototype', JSON.parse('{"a":{"__proto__":{}}}')],
    ['much text', { a: 'x'.repeat(20_000), b: 'x'.repeat(20_000), c: {} }],
  ])('leaves to the text what only that can tell: %s', (_what, value) => {
    expect(jsonCopy(value)).toBeUndefined();
  });

  test('declines what is nested deeply', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100; depth++) value = [value];
    expect(jsonCopy(value)).toBeUndefined();
  });

  test('shares nothing with the original', () => {
    const value = { a: { b: ['c'] } };
    const copy = jsonCopy(value)?.value as typeof value;
    copy.a.b.push('d');
    expect(value).toEqual({ a: { b: ['c'] } });
  });
});

describe('a body that is a value', () => {
  const pods = builtInTypes().struct('io.k8s.api.core.v1.Pod');

  test('is decoded like its text, with the same warnings', () => {
    const value = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', x: 1 }] },
    };
    const body = new JsonBody(jsonCopy(value)!);
    const options = { fieldValidation: 'Warn', defaults: true } as const;
    expect(decodeJson(body, pods, options)).toEqual(decodeJson(JSON.stringify(value), pods, options));
    expect(Buffer.from(body.bytes).toString()).toBe(JSON.stringify(value));
  });

  test('is refused like its text', () => {
    const value = { spec: { containers: 'none' } };
    const failure = (body: JsonBody): unknown => {
      try {
        return decodeJson(body, pods);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(failure(new JsonBody(jsonCopy(value)!))).toBe(failure(new JsonBody(JSON.stringify(value))));
  });
});
