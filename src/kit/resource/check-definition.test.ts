import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { resource } from './resource.ts';

const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: z.object({ image: z.string().default('redis:8'), size: z.int32().min(1).max(9) }),
  status: z.object({ ready: z.int32(), selector: z.string().optional() }),
  rules: { 'self.size >= oldSelf.size': 'a cache never shrinks' },
  columns: { Size: (cache) => cache.spec.size, Age: '.metadata.creationTimestamp' },
  scale: { replicas: '.spec.size', statusReplicas: '.status.ready', selector: '.status.selector' },
  selectableFields: [(cache) => cache.spec.image],
  shortNames: ['ca'],
});

describe("a definition is checked by the server's code", () => {
  test('accepts a valid one', async () => {
    expect(await Cache.check()).toEqual([]);
    const older = Cache.older(
      'v1beta1',
      { spec: z.object({ size: z.int() }) },
      { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) },
    );
    expect(await older.check()).toEqual([]);
  });

  test('accepts one with every construct that schemas are converted to', async () => {
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
    const errorsOf = async (spec: object): Promise<readonly string[]> =>
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
    expect(await errorsOf({ source: { type: 'file', path: null }, port: 80, either: { c: 'x' } })).toEqual([]);
    expect(await errorsOf({ source: { type: 'git', path: 'x' } })).toContain('spec.source.url FieldValueRequired');
    expect(await errorsOf({ source: { type: 'other' } })).toContain('spec.source.type FieldValueNotSupported');
    expect(await errorsOf({ source, either: { b: 1 } })).not.toEqual([]);
    expect(await errorsOf({ source, port: 0 })).toEqual(['spec.port FieldValueInvalid']);
    expect(await errorsOf({ source, port: 'HTTP' })).toEqual(['spec.port FieldValueInvalid']);
    expect(await errorsOf({ source, words: ['ba'], not: 10 })).not.toEqual([]);
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
  ])('%s is found', async (_name, options, pattern) => {
    const errors = await resource('e.dev/v1', 'E', options).check();
    expect(errors.map(({ field, detail }) => `${field} Invalid value ${detail}`).join('\n')).toMatch(pattern);
  });
});
