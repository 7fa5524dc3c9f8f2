import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Client, Sendable } from '../../client/index.ts';
import { controller } from '../controller.ts';
import type { ObjectOf } from './custom-resource.ts';
import { resource } from './resource.ts';
import { SchemaError } from './schema-problem.ts';

const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: z.object({
    image: z.string().default('redis:8'),
    size: z.int32().min(1).max(9),
    tags: z.array(z.string()).optional(),
  }),
  status: z.object({ ready: z.int32(), selector: z.string().optional() }),
  rules: {
    'self.size >= oldSelf.size': 'a cache never shrinks',
    "self.metadata.name != 'no'": { at: '', message: 'not this name' },
  },
  columns: {
    Size: (cache) => cache.spec.size,
    Ready: { path: (cache) => cache.status.ready, priority: 1, description: 'Ready replicas' },
    Team: { path: (cache) => cache.metadata.labels['example.dev/team'], type: 'string' },
    Age: '.metadata.creationTimestamp',
  },
  scale: {
    replicas: (cache) => cache.spec.size,
    statusReplicas: (cache) => cache.status.ready,
    selector: '.status.selector',
  },
  selectableFields: [(cache) => cache.spec.image],
  shortNames: ['ca'],
  categories: ['all'],
});
type Cache = ObjectOf<typeof Cache>;

describe('a kind defined by schemas', () => {
  test('is a kind for the client, with the types of its schemas', () => {
    expect(Cache).toMatchObject({
      group: 'cache.example.dev',
      version: 'v1',
      apiVersion: 'cache.example.dev/v1',
      kind: 'Cache',
      plural: 'caches',
      scope: 'Namespaced',
      versions: ['v1'],
    });
    expectTypeOf<Cache['spec']>().toEqualTypeOf<{ image: string; size: number; tags?: string[] | undefined }>();
    expectTypeOf<NonNullable<Cache['status']>['ready']>().toEqualTypeOf<number>();
    expectTypeOf<{ spec: { size: number } }>().toExtend<Sendable<Cache>>();
    expectTypeOf<{ spec: { size: string } }>().not.toExtend<Sendable<Cache>>();
    const use = (client: Client) => client.kind(Cache).namespace('default').get('a');
    expectTypeOf<Awaited<ReturnType<typeof use>>['spec']['image']>().toEqualTypeOf<string>();
    controller(Cache, {
      reconcile(cache) {
        expectTypeOf(cache.spec.size).toEqualTypeOf<number>();
        return { ready: cache.spec.size };
      },
    });
    // @ts-expect-error -- the status does not fit
    controller(Cache, { reconcile: () => ({ ready: 'yes' }) });
  });

  test('has a definition', () => {
    expect(Cache.manifest()).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'caches.cache.example.dev' },
      spec: {
        group: 'cache.example.dev',
        names: {
          plural: 'caches',
          singular: 'cache',
          kind: 'Cache',
          listKind: 'CacheList',
          shortNames: ['ca'],
          categories: ['all'],
        },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                required: ['spec'],
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec: {
                    type: 'object',
                    required: ['size'],
                    properties: {
                      image: { type: 'string', default: 'redis:8' },
                      size: { type: 'integer', minimum: 1, maximum: 9 },
                      tags: { type: 'array', items: { type: 'string' } },
                    },
                    'x-kubernetes-validations': [
                      { rule: 'self.size >= oldSelf.size', message: 'a cache never shrinks' },
                    ],
                  },
                  status: {
                    type: 'object',
                    required: ['ready'],
                    properties: { ready: { type: 'integer', format: 'int32' }, selector: { type: 'string' } },
                  },
                },
                'x-kubernetes-validations': [{ rule: "self.metadata.name != 'no'", message: 'not this name' }],
              },
            },
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.size',
                statusReplicasPath: '.status.ready',
                labelSelectorPath: '.status.selector',
              },
            },
            additionalPrinterColumns: [
              { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
              {
                name: 'Ready',
                type: 'integer',
                jsonPath: '.status.ready',
                priority: 1,
                description: 'Ready replicas',
              },
              { name: 'Team', type: 'string', jsonPath: String.raw`.metadata.labels['example\.dev/team']` },
              { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            ],
            selectableFields: [{ jsonPath: '.spec.image' }],
          },
        ],
      },
    });
  });

  test('reads objects as a server does: defaults, pruning, validation', async () => {
    const parsed = await Cache.parse({ metadata: { name: 'a' }, spec: { size: 3, unknown: true } });
    expectTypeOf(parsed).toEqualTypeOf<Cache>();
    expect(parsed).toMatchObject({ apiVersion: 'cache.example.dev/v1', kind: 'Cache' });
    expect(parsed.spec).toEqual({ image: 'redis:8', size: 3 });
    expect(await Cache.validate({ metadata: { name: 'a' }, spec: { size: 3 } })).toEqual([]);

    await expect(Cache.parse({ metadata: { name: 'a' }, spec: { size: 99 } })).rejects.toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'Cache.cache.example.dev "a" is invalid: spec.size: Invalid value: 99: spec.size in body should be less than or equal to 9',
    });
    await expect(Cache.parse({ kind: 'Pod' })).rejects.toThrow('Cannot read an object: it is a Pod');
  });

  test('rules and metadata are checked without a server', async () => {
    const cache = (name: string, size: number) => ({ metadata: { name }, spec: { size } });
    expect(await Cache.validate(cache('a', 2), { old: cache('a', 3) })).toEqual([
      expect.objectContaining({ field: 'spec', detail: 'a cache never shrinks' }),
    ]);
    expect(await Cache.validate(cache('a', 3), { old: cache('a', 2) })).toEqual([]);
    const errors = await Cache.validate(cache('no', 2));
    expect(errors.map(({ detail }) => detail)).toEqual(['not this name']);
    await expect(Cache.parse(cache('A B', 2))).rejects.toThrow('metadata.name: Invalid value: "A B"');
    await expect(Cache.parse({ spec: { size: 1 } })).rejects.toThrow('name or generateName is required');
  });

  test('an empty spec is filled in where that is a good one', async () => {
    const Zone = resource('test.com/v1', 'Zone', {
      scope: 'Cluster',
      spec: {
        type: 'object',
        properties: { city: { type: 'string', nullable: true }, size: { type: 'integer', default: 1 } },
      },
    });
    const zone = await Zone.parse({ metadata: { name: 'z' } });

    expect(zone.spec).toEqual({ size: 1 });
    expectTypeOf(Zone.scope).toEqualTypeOf<'Cluster'>();
    expectTypeOf(zone.spec).toEqualTypeOf<{ size: number; city?: string | null }>();
    expectTypeOf<{ metadata: { name: string } }>().toExtend<Sendable<typeof zone>>();
  });

  test('what cannot be defined is refused at once, all of it', () => {
    const define = () =>
      resource('example.dev/v1', 'Bad', {
        spec: z.object({ pair: z.tuple([z.string()]), a: z.union([z.string(), z.boolean()]) }),
        status: z.string(),
      });
    expect(define).toThrow(SchemaError);
    expect(define).toThrow(
      /^Cannot define Bad of version "v1":\n  spec\.pair: .*use an object.*\n  spec\.a: .*\n  status: it is not an object/,
    );
    expect(() => resource('v1' as 'a/v1', 'Bad', { spec: {} })).toThrow('it must be GROUP/VERSION');
  });

  test('columns and rules that lead nowhere are refused', () => {
    const spec = z.object({ size: z.int(), tags: z.array(z.string()) });
    const withColumn = (path: string) => () => resource('e.dev/v1', 'E', { spec, columns: { A: path } }).manifest();
    expect(withColumn('.spec.sise')).toThrow('Cannot show column "A": ".spec.sise" does not lead to');
    expect(withColumn('.spec.tags')).toThrow('Cannot show column "A"');
    expect(withColumn('.spec.tags[0]')().spec.versions[0]?.additionalPrinterColumns).toEqual([
      { name: 'A', type: 'string', jsonPath: '.spec.tags[0]' },
    ]);
    expect(() => resource('e.dev/v1', 'E', { spec, columns: { A: () => 5 } }).manifest()).toThrow(
      'must lead to a field',
    );
    expect(() => resource('e.dev/v1', 'E', { spec, rules: { 'self > 0': { at: 'spec.sise' } } })).toThrow(
      'Cannot put rule "self > 0" at "spec.sise": the schema has no such field',
    );
    const { versions } = resource('e.dev/v1', 'E', { spec, rules: { "self != ''": { at: 'spec.tags[*]' } } }).manifest()
      .spec;
    expect(versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties?.['tags']?.items).toEqual({
      type: 'string',
      'x-kubernetes-validations': [{ rule: "self != ''" }],
    });
  });
});

describe('a definition is checked by the code of the server', () => {
  test('and nothing is said against a good one', async () => {
    expect(await Cache.check()).toEqual([]);
    const older = Cache.older(
      'v1beta1',
      { spec: z.object({ size: z.int() }) },
      { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) },
    );
    expect(await older.check()).toEqual([]);
  });

  test('nor against one with everything that schemas are turned into', async () => {
    const Rich = resource('e.dev/v1', 'Rich', {
      spec: z.object({
        source: z.discriminatedUnion('type', [
          z.object({ type: z.literal('git'), url: z.url().max(99) }),
          z.object({ type: z.literal('file'), path: z.string().min(1).nullable() }),
        ]),
        either: z.union([z.object({ a: z.int() }), z.object({ b: z.int().optional(), c: z.string() })]).optional(),
        port: z.union([z.int32().min(1), z.string().regex(/^[a-z]+$/)]).default('http'),
        mode: z.enum(['a', 'b']).default('a'),
        labels: z.record(z.string(), z.string().max(63)).default({}),
        words: z.array(z.string().regex(/^a/).regex(/b$/)).max(5).default(['ab']),
        raw: z.looseObject({ known: z.string().optional() }).optional(),
        any: z.unknown().optional(),
        at: z.iso.datetime().optional(),
        both: z.intersection(z.object({ x: z.int() }), z.object({ y: z.int() })).optional(),
        not: z.int().gt(0).lt(10).multipleOf(3).default(3),
      }),
    });
    expect(await Rich.check()).toEqual([]);
    const told = async (spec: object): Promise<readonly string[]> =>
      (await Rich.validate({ metadata: { name: 'a' }, spec })).map(({ field, reason }) => `${field} ${reason}`);
    const source = { type: 'git', url: 'https://example.com' };

    expect((await Rich.parse({ metadata: { name: 'a' }, spec: { source, raw: { more: 1 }, any: [1] } })).spec).toEqual({
      source,
      port: 'http',
      mode: 'a',
      labels: {},
      words: ['ab'],
      raw: { more: 1 },
      any: [1],
      not: 3,
    });
    expect(await told({ source: { type: 'file', path: null }, port: 80, either: { c: 'x' } })).toEqual([]);
    expect(await told({ source: { type: 'git', path: 'x' } })).toContain('spec.source.url FieldValueRequired');
    expect(await told({ source: { type: 'other' } })).toContain('spec.source.type FieldValueNotSupported');
    expect(await told({ source, either: { b: 1 } })).not.toEqual([]);
    expect(await told({ source, port: 0 })).toEqual(['spec.port FieldValueInvalid']);
    expect(await told({ source, port: 'HTTP' })).toEqual(['spec.port FieldValueInvalid']);
    expect(await told({ source, words: ['ba'], not: 10 })).not.toEqual([]);
  });

  test.each<[string, Parameters<typeof resource>[2], RegExp]>([
    [
      'a rule that does not compile',
      { spec: z.object({ a: z.int() }), rules: { 'self.b > 1': 'b' } },
      /properties\[spec\]\.x-kubernetes-validations\[0\]\.rule Invalid value.*undefined field 'b'/s,
    ],
    [
      'a rule that costs too much',
      {
        spec: z.object({ a: z.array(z.array(z.string())) }),
        rules: { 'self.a.all(x, x.all(y, y.contains("z")))': 'z' },
      },
      /estimated rule cost/,
    ],
    [
      'a default that does not fit',
      { spec: { type: 'object', properties: { a: { type: 'integer', default: 'x' } } } },
      /properties\[spec\]\.properties\[a\]\.default/,
    ],
    ['a short name that is none', { spec: z.object({}), shortNames: ['A B'] }, /spec\.names\.shortNames\[0\]/],
  ])('%s is found', async (_name, options, told) => {
    const errors = await resource('e.dev/v1', 'E', options).check();
    expect(errors.map(({ field, detail }) => `${field} Invalid value ${detail}`).join('\n')).toMatch(told);
  });
});

describe('every library describes the same kind', () => {
  const expected = {
    type: 'object',
    properties: {
      image: { type: 'string', default: 'redis:8' },
      size: { type: 'integer', minimum: 1 },
      mode: { type: 'string', enum: ['fast', 'safe'] },
      note: { type: 'string', nullable: true },
      limits: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['size', 'mode', 'note', 'limits'],
  };
  type Spec = {
    image: string;
    size: number;
    mode: 'fast' | 'safe';
    note: string | null;
    limits: Record<string, number>;
  };
  const specOf = (kind: {
    manifest(): { spec: { versions: { schema?: { openAPIV3Schema?: { properties?: Record<string, unknown> } } }[] } };
  }) => kind.manifest().spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];

  test('zod', () => {
    const Kind = resource('e.dev/v1', 'E', {
      spec: z.object({
        image: z.string().default('redis:8'),
        size: z.int().min(1),
        mode: z.enum(['fast', 'safe']),
        note: z.string().nullable(),
        limits: z.record(z.string(), z.number()),
      }),
    });
    expect(specOf(Kind)).toEqual(expected);
    expectTypeOf<ObjectOf<typeof Kind>['spec']>().toEqualTypeOf<Spec>();
  });

  test('valibot', () => {
    const spec = v.object({
      image: v.optional(v.string(), 'redis:8'),
      size: v.pipe(v.number(), v.integer(), v.minValue(1)),
      mode: v.picklist(['fast', 'safe']),
      note: v.nullable(v.string()),
      limits: v.record(v.string(), v.number()),
    });
    const Kind = resource('e.dev/v1', 'E', { spec: toStandardJsonSchema(spec) });
    expect(specOf(Kind)).toEqual(expected);
    expectTypeOf<ObjectOf<typeof Kind>['spec']>().toEqualTypeOf<Spec>();
    expect(() => resource('e.dev/v1', 'E', { spec })).toThrow('wrap it: toStandardJsonSchema(schema)');
  });

  test('TypeBox', () => {
    const Kind = resource('e.dev/v1', 'E', {
      spec: Type.Object({
        image: Type.Optional(Type.String({ default: 'redis:8' })),
        size: Type.Integer({ minimum: 1 }),
        mode: Type.Union([Type.Literal('fast'), Type.Literal('safe')]),
        note: Type.Union([Type.String(), Type.Null()]),
        limits: Type.Record(Type.String(), Type.Number()),
      }),
    });
    expect(specOf(Kind)).toEqual(expected);
    expectTypeOf<ObjectOf<typeof Kind>['spec']['mode']>().toEqualTypeOf<'fast' | 'safe'>();
    expectTypeOf<ObjectOf<typeof Kind>['spec']['note']>().toEqualTypeOf<string | null>();
    expectTypeOf<ObjectOf<typeof Kind>['spec']['limits']>().toEqualTypeOf<Record<string, number>>();
    expectTypeOf<ObjectOf<typeof Kind>['spec']['size']>().toEqualTypeOf<number>();
  });

  test('arktype, which emits no defaults', () => {
    const Kind = resource('e.dev/v1', 'E', {
      spec: type({
        'image?': 'string',
        size: 'number.integer >= 1',
        mode: "'fast' | 'safe'",
        note: 'string | null',
        limits: 'Record<string, number>',
      }),
    });
    const { image: _, ...others } = expected.properties;
    const { required, ...emitted } = specOf(Kind) as { required: string[] };
    expect(emitted).toEqual({ type: 'object', properties: { image: { type: 'string' }, ...others } });
    expect(required.sort()).toEqual([...expected.required].sort());
    expectTypeOf<Required<ObjectOf<typeof Kind>['spec']>>().toEqualTypeOf<Spec>();
  });

  test('a literal', () => {
    const Kind = resource('e.dev/v1', 'E', {
      spec: {
        type: 'object',
        properties: {
          image: { type: 'string', default: 'redis:8' },
          size: { type: 'integer', minimum: 1 },
          mode: { type: 'string', enum: ['fast', 'safe'] },
          note: { type: 'string', nullable: true },
          limits: { type: 'object', additionalProperties: { type: 'number' } },
        },
        required: ['size', 'mode', 'note', 'limits'],
      },
    });
    expect(specOf(Kind)).toEqual(expected);
    expectTypeOf<ObjectOf<typeof Kind>['spec']>().toEqualTypeOf<Spec>();
  });
});
