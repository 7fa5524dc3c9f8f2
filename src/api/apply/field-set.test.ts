import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeJson } from '../json/index.ts';
import { difference, differenceBelow, intersection, isSubset, union } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldSet, fieldSet } from './field-set.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
import { FieldsError } from './parse-element.ts';
import { fieldElement, indexElement, keyElement, pathLabel, type PathElement, valueElement } from './path-element.ts';

const elements: readonly PathElement[] = [
  fieldElement('a'),
  fieldElement('b.c'),
  fieldElement('__proto__'),
  keyElement([{ name: 'name', value: 'x' }]),
  keyElement([
    { name: 'protocol', value: 'TCP' },
    { name: 'containerPort', value: 80 },
  ]),
  valueElement('v'),
  valueElement(7),
  indexElement(0),
];

const path = fc.array(fc.constantFrom(...elements), { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

function namesOf(set: FieldSet): string[] {
  return [...set.paths()].map((one) => one.map(({ text }) => text).join(' ')).sort();
}

function names(all: readonly (readonly PathElement[])[]): Set<string> {
  return new Set(all.map((one) => one.map(({ text }) => text).join(' ')));
}

describe('a set of paths', () => {
  test('has the paths it was made of, each once, and no others', () => {
    fc.assert(
      fc.property(paths, path, (all, other) => {
        const set = fieldSet(...all);
        expect(namesOf(set)).toEqual([...names(all)].sort());
        for (const one of all) expect(set.has(one)).toBe(true);
        expect(set.has(other)).toBe(names(all).has([...names([other])][0] ?? ''));
      }),
    );
  });

  test('is printed and read back as the same set', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const set = fieldSet(...all);
        const copy: unknown = JSON.parse(encodeJson(printFieldsV1(set)));
        expect(parseFieldsV1(copy).equals(set)).toBe(true);
      }),
    );
  });

  test('keeps the laws of sets: union, intersection, difference', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [fieldSet(...left), fieldSet(...right)];
        const [inA, inB] = [names(left), names(right)];
        expect(namesOf(union(a, b))).toEqual([...new Set([...inA, ...inB])].sort());
        expect(namesOf(intersection(a, b))).toEqual([...inA].filter((one) => inB.has(one)).sort());
        expect(namesOf(difference(a, b))).toEqual([...inA].filter((one) => !inB.has(one)).sort());
        const isBelow = (one: string): boolean =>
          [...inB].some((other) => one === other || one.startsWith(`${other} `));
        expect(namesOf(differenceBelow(a, b))).toEqual([...inA].filter((one) => !isBelow(one)).sort());
        expect(isSubset(a, union(a, b))).toBe(true);
        expect(isSubset(a, b)).toBe([...inA].every((one) => inB.has(one)));
      }),
    );
  });

  test('returns the left set itself when nothing changes, so that === detects it', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const set = fieldSet(...all);
        const same = fieldSet(...all);
        expect(union(set, same)).toBe(set);
        expect(intersection(set, same)).toBe(set);
        expect(difference(set, EMPTY_SET)).toBe(set);
        expect(difference(set, same).isEmpty).toBe(true);
      }),
    );
  });

  test('has as leaves the paths that are no prefix of another', () => {
    const [a, b] = [fieldElement('a'), fieldElement('b')];
    expect(namesOf(fieldSet([a], [a, b], [b]).leaves())).toEqual(['f:a f:b', 'f:b']);
  });
});

describe('FieldsV1', () => {
  test('sorts fields before keys, values and indexes, and marks a path that is a prefix of others with a dot', () => {
    const [a, x] = [fieldElement('a'), keyElement([{ name: 'n', value: 'x' }])];
    const set = fieldSet([indexElement(2)], [valueElement('v')], [valueElement(3)], [x], [a], [a, fieldElement('z')]);
    expect(encodeJson(printFieldsV1(set))).toBe(
      '{"f:a":{".":{},"f:z":{}},"k:{\\"n\\":\\"x\\"}":{},"v:3":{},"v:\\"v\\"":{},"i:2":{}}',
    );
  });

  test('is not parsed again when the JSON is the same object, nor after it was printed', () => {
    const json = { 'f:a': {} };
    expect(parseFieldsV1(json)).toBe(parseFieldsV1(json));
    const set = fieldSet([fieldElement('a')]);
    expect(parseFieldsV1(printFieldsV1(set))).toBe(set);
  });

  test('normalizes keys with another order or other spaces', () => {
    const set = parseFieldsV1({ 'k:{ "protocol":"TCP", "containerPort":80 }': {} });
    expect(Object.keys(printFieldsV1(set))).toEqual(['k:{"containerPort":80,"protocol":"TCP"}']);
  });

  test('drops unknown kinds of elements', () => {
    expect(parseFieldsV1({ 'x:new': {}, 'f:a': {} }).equals(fieldSet([fieldElement('a')]))).toBe(true);
  });

  test.each([
    [{ f: {} }],
    [{ fa: {} }],
    [{ 'k:[1]': {} }],
    [{ 'k:{': {} }],
    [{ 'v:': {} }],
    [{ 'i:x': {} }],
    [{ 'f:a': 5 }],
  ])('refuses %j', (json) => {
    expect(() => parseFieldsV1(json)).toThrow(FieldsError);
  });
});

test('a path is written in messages as Kubernetes writes it', () => {
  const port = keyElement([
    { name: 'protocol', value: 'TCP' },
    { name: 'containerPort', value: 80 },
  ]);
  const label = pathLabel([fieldElement('spec'), port, valueElement('a"b'), indexElement(1)]);
  expect(label).toBe('.spec[containerPort=80,protocol="TCP"][="a\\"b"][1]');
});
