import { describe, expect, test } from 'vitest';
import { builtInTypes, canonicalize, fieldErrorText, structuralKind, type StructuralSchema } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import { checkValues } from './validate-object.ts';

const types = builtInTypes();

function problems(value: unknown, schema: StructuralSchema): string[] {
  const spec: StructuralSchema = { type: 'object', properties: { a: schema } };
  const kind = structuralKind(
    { type: 'object', properties: { spec } },
    { group: 'x.dev', version: 'v1', kind: 'X' },
    { types },
  );
  const object = canonicalize({ kind: 'X', metadata: { name: 'x' }, spec: { a: value } }, kind);
  return checkValues(object as unknown as ApiObject, kind).map(fieldErrorText);
}

const text: StructuralSchema = { type: 'string' };
const whole: StructuralSchema = { type: 'integer' };

/** A schema, a value that violates it, and the error without the path. */
const cases: readonly (readonly [schema: StructuralSchema, value: unknown, said: string])[] = [
  [text, 1, 'Invalid value: "integer": PATH in body must be of type string: "integer"'],
  [whole, 'x', 'Invalid value: "string": PATH in body must be of type integer: "string"'],
  [{ type: 'boolean' }, [], 'Invalid value: "array": PATH in body must be of type boolean: "array"'],
  [
    { 'x-kubernetes-int-or-string': true },
    true,
    'Invalid value: "boolean": PATH in body must be of type integer,string: "boolean"',
  ],
  [{ ...text, enum: ['a', 'b'] }, 'c', 'Unsupported value: "c": supported values: "a", "b"'],
  [{ ...whole, enum: [1, 2] }, 3, 'Unsupported value: 3: supported values: "1", "2"'],
  [{ ...whole, maximum: 10 }, 15, 'Invalid value: 15: PATH in body should be less than or equal to 10'],
  [{ ...whole, maximum: 10, exclusiveMaximum: true }, 10, 'Invalid value: 10: PATH in body should be less than 10'],
  [{ ...whole, minimum: 10 }, 5, 'Invalid value: 5: PATH in body should be greater than or equal to 10'],
  [{ ...whole, minimum: 10, exclusiveMinimum: true }, 10, 'Invalid value: 10: PATH in body should be greater than 10'],
  [
    { type: 'number', maximum: 2e6 },
    2e6 + 0.5,
    'Invalid value: 2.0000005e+06: PATH in body should be less than or equal to 2e+06',
  ],
  [{ ...whole, multipleOf: 5 }, 7, 'Invalid value: 7: PATH in body should be a multiple of 5'],
  [{ ...text, maxLength: 2 }, 'äöü', 'Too long: may not be more than 2 bytes'],
  [{ ...text, minLength: 2 }, 'ä', 'Invalid value: "ä": PATH in body should be at least 2 chars long'],
  [{ ...text, pattern: '^a+$' }, 'b', `Invalid value: "b": PATH in body should match '^a+$'`],
  [{ ...text, format: 'ipv4' }, 'b', 'Invalid value: "b": PATH in body must be of type ipv4: "b"'],
  [{ ...text, format: 'date-time' }, 'b', 'Invalid value: "b": PATH in body must be of type date-time: "b"'],
  [{ type: 'array', items: text, minItems: 1 }, [], 'Invalid value: 0: PATH in body should have at least 1 items'],
  [{ type: 'array', items: text, maxItems: 1 }, ['a', 'b'], 'Too many: 2: must have at most 1 item'],
  [
    { type: 'array', items: text, uniqueItems: true },
    ['a', 'a'],
    `Invalid value: "": PATH in body shouldn't contain duplicates`,
  ],
  [
    { type: 'object', additionalProperties: text, minProperties: 1 },
    {},
    'Invalid value: 0: PATH in body should have at least 1 properties',
  ],
  [
    { type: 'object', additionalProperties: text, maxProperties: 0 },
    { a: 'b' },
    'Too many: 1: must have at most 0 items',
  ],
];

describe('values of a structural type', () => {
  test.each(cases)('are validated in a field, an item and a map value: %j', (schema, value, said) => {
    const at = (path: string): string => `${path}: ${said.replace('PATH', path)}`;
    expect(problems(value, schema)).toEqual([at('spec.a')]);
    expect(problems([value], { type: 'array', items: schema })).toEqual([at('spec.a[0]')]);
    expect(problems({ k: value }, { type: 'object', additionalProperties: schema })).toEqual([at('spec.a.k')]);
  });

  test('must have required fields, and may be null where allowed', () => {
    expect(problems({}, { type: 'object', required: ['b'], properties: { b: text } })).toEqual([
      'spec.a.b: Required value',
    ]);
    expect(problems(null, { ...text, nullable: true })).toEqual([]);
    expect(problems([null], { type: 'array', items: text })).toEqual([
      'spec.a[0]: Invalid value: "null": spec.a[0] in body must be of type string: "null"',
    ]);
    expect(problems(null, { ...text, nullable: true, enum: ['a'] })).toEqual([
      'spec.a: Unsupported value: null: supported values: "a"',
    ]);
  });

  test('can be validated by several schemas at once', () => {
    const short = { maxLength: 1 };
    const isA = { pattern: '^a' };
    expect(problems('bb', { ...text, anyOf: [short, isA] })).toEqual([
      '<nil>: Invalid value: "": "spec.a" must validate at least one schema (anyOf)',
      'spec.a: Too long: may not be more than 1 byte',
    ]);
    expect(problems('b', { ...text, anyOf: [short, isA] })).toEqual([]);
    expect(problems('a', { ...text, oneOf: [short, isA] })).toEqual([
      '<nil>: Invalid value: "": "spec.a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
    expect(problems('bb', { ...text, allOf: [short, isA] })).toEqual([
      'spec.a: Too long: may not be more than 1 byte',
      `spec.a: Invalid value: "bb": spec.a in body should match '^a'`,
      '<nil>: Invalid value: "": "spec.a" must validate all the schemas (allOf). None validated',
    ]);
    expect(problems('a', { ...text, not: isA })).toEqual([
      '<nil>: Invalid value: "": "spec.a" must not validate the schema (not)',
    ]);
    const parts: StructuralSchema = { type: 'object', properties: { b: text, c: text } };
    const either = { ...parts, oneOf: [{ required: ['b'] }, { required: ['c'], properties: { c: { minLength: 2 } } }] };
    expect(problems({ b: 'x' }, either)).toEqual([]);
    expect(problems({ c: 'x' }, either)).toContain(
      'spec.a.c: Invalid value: "x": spec.a.c in body should be at least 2 chars long',
    );
  });

  test('in lists that are sets or maps must be unique', () => {
    const set: StructuralSchema = { type: 'array', items: text, 'x-kubernetes-list-type': 'set' };
    expect(problems(['a', 'b', 'a', 'a'], set)).toEqual(['spec.a[2]: Duplicate value: "a"']);
    const map: StructuralSchema = {
      type: 'array',
      items: { type: 'object', properties: { name: text, port: whole } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    expect(
      problems(
        [
          { name: 'a', port: 1 },
          { name: 'a', port: 2 },
        ],
        map,
      ),
    ).toEqual(['spec.a[1]: Duplicate value: {"name":"a"}']);
  });

  test('of metadata are validated only by the schema’s rules for the name', () => {
    const properties = { metadata: { type: 'object', properties: { name: { ...text, maxLength: 3 } } } };
    const kind = structuralKind(
      { type: 'object', properties },
      { group: 'x.dev', version: 'v1', kind: 'X' },
      { types },
    );
    const object = { kind: 'X', apiVersion: 'x.dev/v1', metadata: { name: 'long', labels: { 'not a key': '' } } };
    expect(checkValues(object, kind).map(fieldErrorText)).toEqual([
      'metadata.name: Too long: may not be more than 3 bytes',
    ]);
  });

  test('are validated in linear time', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}` }));
    const items: StructuralSchema = { type: 'object', properties: { name: { ...text, pattern: '^(a|\\d+)+$' } } };
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    expect(problems(many, { type: 'array', items, uniqueItems: true, ...keyed })).toEqual([]);
    expect(problems(`${'a'.repeat(100_000)}!`, { ...text, pattern: '^(a+)+$' })).toHaveLength(1);
  });
});
