import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { ObjectOf } from './custom-resource.ts';
import { resource } from './resource.ts';

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
