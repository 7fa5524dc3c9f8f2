import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clone, deepEqual, deepFreeze } from './json-value.ts';

const parsed = fc.json().map((text) => JSON.parse(text) as unknown);

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const text = Object.entries(value)
    .reverse()
    .map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(reverseKeys(item))}`)
    .join(',');
  return JSON.parse(`{${text}}`);
}

describe('clone()', () => {
  test('gives the same JSON', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        expect(JSON.stringify(clone(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('shares nothing with what it copies', () => {
    const source = { spec: { containers: [{ name: 'a' }] } };
    const copy = clone(source);
    copy.spec.containers[0] = { name: 'b' };
    copy.spec.containers.push({ name: 'c' });

    expect(source).toEqual({ spec: { containers: [{ name: 'a' }] } });
  });

  test('copies a key called __proto__ as the ordinary key it is in JSON', () => {
    const copy = clone(JSON.parse('{"__proto__":{"isAdmin":true}}') as { isAdmin?: boolean });

    expect(JSON.stringify(copy)).toBe('{"__proto__":{"isAdmin":true}}');
    expect(copy.isAdmin).toBeUndefined();
  });
});

describe('deepEqual()', () => {
  test('holds for a copy, whatever the order of keys', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        expect(deepEqual(value, reverseKeys(value))).toBe(true);
      }),
    );
  });

  test('tells different JSON apart', () => {
    fc.assert(
      fc.property(parsed, parsed, (left, right) => {
        const isSame = JSON.stringify(sortKeys(left)) === JSON.stringify(sortKeys(right));
        expect(deepEqual(left, right)).toBe(isSame);
      }),
    );
  });

  test.each([
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{}, [], false],
    [[], {}, false],
    [[1, 2], [1], false],
    [null, {}, false],
    [0, '0', false],
    [{ toString: 1 }, { valueOf: 1 }, false],
  ])('of %j and %j is %j', (left, right, isEqual) => {
    expect(deepEqual(left, right)).toBe(isEqual);
  });

  test('is not misled by names that every object inherits', () => {
    const odd = JSON.parse('{"__proto__":{}}') as unknown;

    expect(deepEqual(odd, {})).toBe(false);
    expect(deepEqual({ y: 1 }, odd)).toBe(false);
    expect(deepEqual(odd, { y: 1 })).toBe(false);
    expect(deepEqual(odd, { constructor: 1 })).toBe(false);
    expect(deepEqual(odd, JSON.parse('{"__proto__":{}}'))).toBe(true);
  });
});

describe('deepFreeze()', () => {
  test('makes every level unchangeable and returns the same object', () => {
    const value = { list: [{ name: 'a' }], map: { key: 'value' } };
    const frozen = deepFreeze(value);

    expect(frozen).toBe(value);
    expect(() => (value.list[0] = { name: 'b' })).toThrow(TypeError);
    expect(() => Object.assign(value.list[0] ?? {}, { name: 'b' })).toThrow(TypeError);
    expect(() => (value.map.key = 'other')).toThrow(TypeError);
  });

  test('takes scalars and bytes as they are', () => {
    const bytes = new Uint8Array([1]);
    expect(deepFreeze('text')).toBe('text');
    expect(deepFreeze(null)).toBe(null);
    expect(deepFreeze({ bytes }).bytes).toBe(bytes);
  });
});

/** Equal values get the same text, different values different texts. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, item]) => [key, sortKeys(item)] as const);
  return { pairs: pairs.sort(([left], [right]) => (left < right ? -1 : 1)) };
}
