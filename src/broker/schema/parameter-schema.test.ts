import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../protocol/osb.ts';
import { checkParameterSchema, parameterProblems, withDefaults } from './parameter-schema.ts';

const FOUR = 'http://json-schema.org/draft-04/schema#';
const text = { type: 'string' };

describe.each([
  [
    'types',
    { properties: { a: { type: ['string', 'null'] }, n: { type: 'integer' } } },
    { a: null, n: 2 },
    { a: 1, n: 1.5 },
  ],
  ['draft 4 bounds', { $schema: FOUR, properties: { n: { minimum: 1, exclusiveMinimum: true } } }, { n: 2 }, { n: 1 }],
  ['later bounds', { properties: { n: { exclusiveMaximum: 3 } } }, { n: 2 }, { n: 3 }],
  ['multiples', { properties: { n: { multipleOf: 0.1 } } }, { n: 0.3 }, { n: 0.35 }],
  ['lengths in characters', { properties: { a: { maxLength: 2 } } }, { a: '😀😀' }, { a: 'abc' }],
  ['patterns', { properties: { a: { pattern: '^[a-z]+$' } } }, { a: 'abc' }, { a: 'A' }],
  ['required fields', { required: ['a'] }, { a: 1 }, {}],
  ['no other fields', { properties: { a: true }, additionalProperties: false }, { a: 1 }, { b: 1 }],
  [
    'fields by pattern',
    { patternProperties: { '^x-': text }, additionalProperties: false },
    { 'x-a': '1' },
    { 'x-a': 1 },
  ],
  ['names of fields', { propertyNames: { maxLength: 2 } }, { ab: 1 }, { abc: 1 }],
  ['numbers of fields', { minProperties: 1, maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }],
  ['enumerations', { properties: { a: { enum: [{ x: 1 }, 'b'] } } }, { a: { x: 1 } }, { a: { x: 2 } }],
  ['constants', { properties: { a: { const: [1] } } }, { a: [1] }, { a: [2] }],
  ['items', { properties: { a: { items: text } } }, { a: ['b'] }, { a: ['b', 1] }],
  [
    'tuples of draft 4',
    { properties: { a: { items: [text], additionalItems: false } } },
    { a: ['b'] },
    { a: ['b', 'c'] },
  ],
  ['tuples of 2020-12', { properties: { a: { prefixItems: [text], items: false } } }, { a: ['b'] }, { a: ['b', 'c'] }],
  [
    'unlike items',
    { properties: { a: { uniqueItems: true } } },
    { a: [{ x: 1, y: 2 }, 2] },
    {
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    },
  ],
  ['contained items', { properties: { a: { contains: { const: 1 }, maxContains: 1 } } }, { a: [1, 2] }, { a: [1, 1] }],
  ['all of', { allOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }, { a: 1 }],
  ['any of', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { b: 1 }, {}],
  ['one of', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { b: 1 }, { a: 1, b: 1 }],
  ['not', { not: { required: ['a'] } }, {}, { a: 1 }],
  ['if and then', JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}') as JsonObject, { c: 1 }, { a: 1 }],
  ['dependencies of draft 4', { dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  ['dependent schemas', { dependentSchemas: { a: { required: ['b'] } } }, { b: 1 }, { a: 1 }],
  ['references', { properties: { a: { $ref: '#/definitions/t' } }, definitions: { t: text } }, { a: 'b' }, { a: 1 }],
  [
    'references to the whole',
    { properties: { a: { $ref: '#' } }, maxProperties: 1 },
    { a: { a: {} } },
    { a: { b: 1, c: 1 } },
  ],
])('a schema with %s', (_, schema, good, bad) => {
  test('lets fitting parameters pass, and no others', () => {
    expect(parameterProblems(schema, good)).toEqual([]);
    expect(parameterProblems(schema, bad)).not.toEqual([]);
  });
});

test('problems name the place', () => {
  const schema = {
    properties: { disks: { items: { required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } } } },
  };
  expect(parameterProblems(schema, { disks: [{ size: 0 }, {}, { size: 'x' }] })).toEqual([
    'disks[0].size: must be at least 1',
    'disks[1].size: is required',
    'disks[2].size: must be an integer',
  ]);
});

test.each([
  ['refers outside of itself', { properties: { a: { $ref: 'https://example.com/s' } } }],
  ['refers to nothing', { allOf: [{ $ref: '#/definitions/none' }] }],
  ['refers to itself without end', { $ref: '#' }],
  ['has a type that there is not', { properties: { a: { type: 'text' } } }],
  ['has a pattern that takes endless time', { properties: { a: { pattern: '(a+)+\\1$' } } }],
  ['is too large', { description: 'x'.repeat(65 * 1024) }],
])('a schema that %s is not used', (_, schema) => {
  expect(() => checkParameterSchema(schema)).toThrow(expect.objectContaining({ name: 'ParameterSchemaError' }));
});

test('a schema that multiplies itself is given up', () => {
  const twice = (next: string) => ({ anyOf: [{ allOf: [{ $ref: next }, false] }, { $ref: next }] });
  const levels = Array.from({ length: 20 }, (_, level) => [`l${level}`, twice(`#/definitions/l${level + 1}`)]);
  const schema = { ...twice('#/definitions/l0'), definitions: { ...Object.fromEntries(levels), l20: false } };
  expect(() => parameterProblems(schema, {})).toThrow('too much work');
});

test('defaults are filled in where fields are missing', () => {
  const schema = {
    properties: {
      a: { default: 1 },
      b: { default: {}, properties: { c: { default: true } } },
      d: { properties: { e: { default: 2 } } },
    },
  };
  expect(withDefaults(schema, { a: 5 })).toEqual({ a: 5, b: { c: true } });
  expect(withDefaults(schema, { d: {} })).toEqual({ a: 1, b: { c: true }, d: { e: 2 } });
});
