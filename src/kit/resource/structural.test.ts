import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf, type SchemaSource } from './schema-source.ts';
import type { Structural } from './schema-words.ts';
import { structuralOf } from './structural.ts';

const written = (source: SchemaSource): Structural => {
  const { schema, problems } = structuralOf(jsonSchemaOf(source, 'spec'), 'spec');
  expect(problems).toEqual([]);
  return schema;
};
const refused = (source: SchemaSource): readonly string[] =>
  structuralOf(jsonSchemaOf(source, 'spec'), 'spec').problems.map(({ path, problem }) => `${path}: ${problem}`);

describe('a schema becomes structural', () => {
  test.each<[string, SchemaSource, unknown]>([
    ['text', z.string().min(1).max(5).regex(/^a+$/), { type: 'string', minLength: 1, maxLength: 5, pattern: '^a+$' }],
    [
      'two patterns',
      z.string().regex(/^a/).regex(/b$/),
      { type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] },
    ],
    ['safe integers', z.int(), { type: 'integer' }],
    ['32-bit integers', z.int32(), { type: 'integer', format: 'int32' }],
    ['bounds', z.number().gt(0).lte(10), { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 10 }],
    [
      'defaults and texts',
      z.boolean().default(true).describe('on?'),
      { type: 'boolean', default: true, description: 'on?' },
    ],
    ['null', z.string().nullable(), { type: 'string', nullable: true }],
    ['a constant', z.literal(5), { type: 'number', enum: [5] }],
    ['several constants', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['integer or text', z.union([z.int(), z.string()]), { 'x-kubernetes-int-or-string': true }],
    [
      'a map',
      z.record(z.string(), z.int().min(1)),
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    ],
    [
      'anything',
      z.object({ any: z.unknown().optional() }),
      { type: 'object', properties: { any: { 'x-kubernetes-preserve-unknown-fields': true } } },
    ],
    [
      'an open object',
      z.looseObject({ a: z.string() }),
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
    [
      'a closed object',
      z.strictObject({ a: z.string().optional() }),
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    [
      'a list',
      z.array(z.string()).min(1).max(3),
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    ],
    [
      'a list with keys',
      z
        .array(z.object({ name: z.string() }))
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    ],
    [
      'unique items',
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ],
    ['a time', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    [
      'an intersection',
      z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a', 'b'] },
    ],
    [
      'a reference',
      {
        $defs: { p: { type: 'integer', minimum: 1 } },
        type: 'object',
        properties: { a: { $ref: '#/$defs/p', maximum: 9 } },
      },
      { type: 'object', properties: { a: { type: 'integer', minimum: 1, maximum: 9 } } },
    ],
    [
      'alternatives by a field',
      z.discriminatedUnion('t', [
        z.object({ t: z.literal('a'), x: z.string().min(2) }),
        z.object({ t: z.literal('b'), y: z.int() }),
      ]),
      {
        type: 'object',
        properties: {
          t: { type: 'string', enum: ['a', 'b'] },
          x: { type: 'string', minLength: 2 },
          y: { type: 'integer' },
        },
        oneOf: [
          { required: ['t', 'x'], properties: { t: { enum: ['a'] } } },
          { required: ['t', 'y'], properties: { t: { enum: ['b'] } } },
        ],
      },
    ],
  ])('%s', (_name, source, schema) => {
    expect(written(source)).toEqual(schema);
  });
});

test('refuses with a path what a definition cannot express', () => {
  const tree = z.object({
    get children() {
      return z.array(tree);
    },
  });
  expect(refused(z.object({ pair: z.tuple([z.string(), z.int()]) }))).toEqual([
    'spec.pair: a tuple has items of different types',
  ]);
  expect(refused(z.object({ a: z.array(z.union([z.string(), z.boolean()])) }))).toEqual([
    'spec.a[*]: a value is string or boolean, and a place of a definition has one type',
  ]);
  expect(refused(z.object({ tree }))).toEqual([
    expect.stringMatching(/^spec\.tree\.children\[\*\]: "#.*" contains itself$/),
  ]);
  expect(refused(z.object({ m: z.record(z.string().regex(/^a/), z.string()) }))).toEqual([
    'spec.m: names of a map cannot be narrowed by a schema',
  ]);
  expect(refused(z.object({ a: z.string().regex(/^(?!b)/) }))).toEqual([
    'spec.a: pattern ^(?!b) looks around or back, which RE2 cannot',
  ]);
  expect(refused(z.object({ o: z.object({ a: z.string() }).catchall(z.int()) }))).toEqual([
    'spec.o: fields of its own beside those of a map',
  ]);
  expect(refused(z.object({ a: z.string().nullable().default(null) }))).toEqual([
    'spec.a: servers do not fill in null',
  ]);
  expect(refused(z.object({ a: z.enum(['x']).nullable() }))).toEqual(['spec.a: null fits no enumeration']);
  expect(refused({ type: 'object', if: {}, else: {} })).toEqual([
    'spec: definitions do not know "if"',
    'spec: definitions do not know "else"',
  ]);
  expect(
    refused(z.object({ u: z.union([z.object({ a: z.string().default('x') }), z.object({ b: z.string() })]) })),
  ).toEqual([
    'spec.u: a default inside one alternative would be filled in for all of them, and a place of a definition has one type',
  ]);
});

test('refuses a transformed value: the server would store another one', () => {
  expect(() => jsonSchemaOf(z.object({ a: z.string().transform(Number) }), 'spec')).toThrow(
    'Cannot make a schema of spec',
  );
});

test('gives up on references that multiply, in bounded time', () => {
  const $defs: Record<string, unknown> = { d0: { type: 'string' } };
  for (let level = 1; level < 40; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } };
  }
  expect(refused({ $defs, $ref: '#/$defs/d39' })).toEqual([expect.stringContaining('the schema is too large')]);
});
