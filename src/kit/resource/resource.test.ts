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
    // @ts-expect-error -- wrong type of the status
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

  test('an empty spec is filled in if it is valid', async () => {
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

  test('reports everything that a definition cannot express at once', () => {
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

  test('refuses columns and rules whose paths do not exist', () => {
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
