import type { StructuralSchema } from '../../../../src/api/index.ts';
import type { Rule, Scenario } from '../scenario.ts';

const text = { type: 'string', maxLength: 100 } as const;
const whole = { type: 'integer' } as const;
const free: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function ruled(schema: StructuralSchema, ...rules: readonly (string | Rule)[]): StructuralSchema {
  const all = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': all };
}

export const ratcheting: readonly Scenario[] = [
  {
    name: 'ratcheted values',
    schema: free,
    steps: [
      {
        create: {
          s: 'much too long',
          i: 50,
          e: 'wrong',
          t: 5,
          o: { a: 'bad', b: 'x' },
          p: {},
          m: { x: 'bad', y: 'ok' },
          l: ['bad', 'bad'],
          set: ['bad'],
          keyed: [
            { name: 'a', v: 'bad' },
            { name: 'b', v: 'ok' },
          ],
          u: { a: 'bad', extra: 1 },
          w: { a: 'bad' },
          f: 'nope',
          any: 'zz',
        },
      },
      {
        redefine: {
          type: 'object',
          required: ['missing'],
          properties: {
            other: text,
            s: { ...text, maxLength: 3 },
            i: { ...whole, maximum: 10 },
            e: { ...text, enum: ['right'] },
            t: text,
            o: { type: 'object', required: ['c'], properties: { a: { ...text, enum: ['ok'] }, b: text, c: text } },
            p: { type: 'object', minProperties: 1, properties: { a: text } },
            m: { type: 'object', additionalProperties: { ...text, enum: ['ok'] } },
            l: { type: 'array', maxItems: 1, items: { ...text, enum: ['ok'] } },
            set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { ...text, enum: ['ok'] } },
            keyed: {
              type: 'array',
              maxItems: 5,
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: { type: 'object', required: ['name'], properties: { name: text, v: { ...text, enum: ['ok'] } } },
            },
            u: {
              type: 'object',
              'x-kubernetes-preserve-unknown-fields': true,
              properties: { a: { ...text, enum: ['ok'] } },
              minProperties: 3,
            },
            w: { type: 'object', properties: { a: text }, anyOf: [{ properties: { a: { enum: ['ok'] } } }] },
            f: { ...text, format: 'ipv4' },
            any: { ...text, allOf: [{ maxLength: 1 }], not: { enum: ['zz'] } },
          },
        },
      },
      { patch: { metadata: { labels: { a: 'b' } } } },
      { patch: { spec: { other: 'x' } } },
      { patch: { spec: { other: 'x', missing: 'y' } } },
      { patch: { spec: { s: 'other too long' } } },
      { patch: { spec: { i: 51 } } },
      { patch: { spec: { i: 5 } } },
      { patch: { spec: { o: { b: 'y' } } } },
      { patch: { spec: { o: { c: 'y' } } } },
      { patch: { spec: { m: { z: 'bad' } } } },
      { patch: { spec: { m: { z: 'ok' } } } },
      { patch: { spec: { l: ['bad', 'bad', 'bad'] } } },
      { patch: { spec: { l: ['bad'] } } },
      { patch: { spec: { set: ['bad', 'ok'] } } },
      {
        patch: {
          spec: {
            keyed: [
              { name: 'b', v: 'ok' },
              { name: 'a', v: 'bad' },
            ],
          },
        },
      },
      {
        patch: {
          spec: {
            keyed: [
              { name: 'b', v: 'bad' },
              { name: 'a', v: 'bad' },
            ],
          },
        },
      },
      { patch: { spec: { keyed: [{ name: 'c', v: 'bad' }] } } },
      { patch: { spec: { u: { extra: 2 } } } },
      { patch: { spec: { u: { a: 'worse' } } } },
      { patch: { spec: { w: { a: 'worse' } } } },
      { patch: { spec: { t: 6 } } },
      { patch: { spec: { any: 'z' } } },
      { patch: { spec: { any: 'yy' } } },
      { patch: { spec: null } },
    ],
  },
  {
    name: 'ratcheted below changes',
    schema: free,
    steps: [
      {
        create: {
          o: { fixed: 'bad', free: 'x' },
          w: { a: 'bad', b: 'x' },
          deep: { one: { two: { three: 'bad', four: 'x' } } },
        },
      },
      {
        redefine: {
          type: 'object',
          properties: {
            o: { type: 'object', properties: { fixed: { ...text, enum: ['ok'] }, free: text } },
            w: { type: 'object', properties: { a: text, b: text }, anyOf: [{ properties: { a: { enum: ['ok'] } } }] },
            deep: {
              type: 'object',
              properties: {
                one: {
                  type: 'object',
                  properties: { two: { type: 'object', properties: { three: { ...text, maxLength: 1 }, four: text } } },
                },
              },
            },
          },
        },
      },
      { patch: { spec: { o: { free: 'y' } } } },
      { patch: { spec: { w: { b: 'y' } } } },
      { patch: { spec: { deep: { one: { two: { four: 'y' } } } } } },
      { patch: { spec: { deep: { one: { two: { three: 'worse' } } } } } },
      { patch: { spec: { copy: { fixed: 'bad' } } } },
    ],
  },
  {
    name: 'ratcheted rules',
    schema: free,
    steps: [
      {
        create: {
          a: 5,
          o: { x: 5, y: 1 },
          l: [5, 6],
          keyed: [
            { name: 'a', v: 5 },
            { name: 'b', v: 1 },
          ],
          m: { k: 5 },
          set: ['b', 'a'],
          both: 5,
          u: { v: 5, extra: 1 },
        },
      },
      {
        redefine: ruled(
          {
            type: 'object',
            properties: {
              other: text,
              a: ruled(whole, 'self < 3'),
              both: ruled(
                whole,
                'self < 3',
                { rule: 'self == oldSelf', message: 'fixed' },
                { rule: 'oldSelf.hasValue() && self < 3', optionalOldSelf: true },
              ),
              o: ruled({ type: 'object', properties: { x: ruled(whole, 'self < 3'), y: whole } }, 'self.x < 3'),
              l: ruled({ type: 'array', maxItems: 9, items: ruled(whole, 'self < 3') }, 'size(self) < 2'),
              keyed: ruled(
                {
                  type: 'array',
                  maxItems: 9,
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: ruled(
                    { type: 'object', required: ['name'], properties: { name: text, v: ruled(whole, 'self < 3') } },
                    'self.v != 5',
                  ),
                },
                'self.all(x, x.v < 3)',
              ),
              m: {
                type: 'object',
                maxProperties: 9,
                additionalProperties: ruled(whole, {
                  rule: 'self < 3',
                  message: 'small',
                  reason: 'FieldValueForbidden',
                }),
              },
              set: { type: 'array', maxItems: 9, 'x-kubernetes-list-type': 'set', items: ruled(text, "self == 'c'") },
              u: ruled(
                { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { v: whole } },
                'self.v < 3',
              ),
            },
          },
          { rule: '!has(self.other) || self.a < 3', message: 'whole' },
        ),
      },
      { patch: { metadata: { labels: { a: 'b' } } } },
      { patch: { spec: { both: 6 } } },
      { patch: { spec: { both: 1 } } },
      { patch: { spec: { a: 6 } } },
      { patch: { spec: { a: 1 } } },
      { patch: { spec: { o: { y: 2 } } } },
      { patch: { spec: { o: { x: 6 } } } },
      { patch: { spec: { l: [5, 6, 7] } } },
      { patch: { spec: { l: [1] } } },
      {
        patch: {
          spec: {
            keyed: [
              { name: 'b', v: 1 },
              { name: 'a', v: 5 },
            ],
          },
        },
      },
      {
        patch: {
          spec: {
            keyed: [
              { name: 'b', v: 2 },
              { name: 'a', v: 5 },
            ],
          },
        },
      },
      { patch: { spec: { keyed: [{ name: 'b', v: 2 }] } } },
      { patch: { spec: { m: { j: 5 } } } },
      { patch: { spec: { m: { j: 1 } } } },
      { patch: { spec: { set: ['b', 'a', 'c'] } } },
      { patch: { spec: { u: { extra: 2 } } } },
      { patch: { spec: { other: 'x' } } },
    ],
  },
  {
    name: 'ratcheted types',
    schema: free,
    steps: [
      { create: { n: 'text', l: 'no list', o: ['no object'], z: 'x' } },
      {
        redefine: ruled(
          {
            type: 'object',
            properties: {
              n: ruled(whole, 'self > 0'),
              l: ruled({ type: 'array', maxItems: 5, items: whole }, 'size(self) > 0'),
              o: ruled({ type: 'object', properties: { a: whole } }, 'self.a > 0'),
              z: text,
            },
          },
          'self.n > 0',
        ),
      },
      { patch: { spec: { z: 'y' } } },
      { patch: { spec: { n: 'other' } } },
      { patch: { spec: { n: 1 } } },
    ],
  },
];
