import type { StructuralSchema } from '../../../../src/api/index.ts';
import type { Scenario } from '../scenario.ts';

const text = { type: 'string', maxLength: 100 } as const;
const whole = { type: 'integer' } as const;
const free: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const embedded: StructuralSchema = { ...free, 'x-kubernetes-embedded-resource': true };

export const updates: readonly Scenario[] = [
  {
    name: 'updates of metadata',
    schema: { type: 'object', properties: { a: text } },
    steps: [
      { create: { a: 'x' } },
      { update: { a: 'y' }, metadata: { resourceVersion: '' } },
      { update: { a: 'y' }, metadata: { resourceVersion: '1' } },
      { update: { a: 'y' }, metadata: { uid: 'other' } },
      { update: { a: 'y' }, metadata: { uid: '' } },
      { update: { a: 'y' }, metadata: { generation: 99, creationTimestamp: '2001-01-01T00:00:00Z' } },
      { update: { a: 'y' }, metadata: { deletionGracePeriodSeconds: 5 } },
      { update: { a: 'y' }, metadata: { generateName: 'x-' } },
      { update: { a: 5 }, metadata: { labels: { 'not ok': '' }, annotations: { 'not ok': '' } } },
      { update: { a: 'y' }, metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }] } },
      { update: { a: 'y' }, metadata: { finalizers: ['orphan', 'foregroundDeletion'] } },
      { patch: { metadata: { name: 'other' } } },
      { patch: { metadata: { namespace: 'other' } } },
      { patch: { kind: 'Other' } },
      { patch: { apiVersion: 'v1' } },
      { patch: { metadata: { odd: 1 } } },
      { patch: { metadata: { odd: 1 } }, fieldValidation: 'Strict' },
      { patch: { metadata: { labels: 5 } } },
      { patch: { metadata: null } },
      { patch: { spec: 'x' } },
      { get: true },
    ],
  },
  {
    name: 'objects inside that come later',
    schema: free,
    steps: [
      {
        create: {
          o: { kind: 'X', metadata: { name: 'a', odd: 1 } },
          l: [{ apiVersion: 'v1' }],
          p: { kind: 5, apiVersion: 'v1' },
          z: 1,
        },
      },
      {
        redefine: {
          type: 'object',
          properties: { o: embedded, l: { type: 'array', items: embedded }, p: embedded, z: whole },
        },
      },
      { get: true },
      { patch: { spec: { z: 2 } } },
      { patch: { spec: { o: { apiVersion: 'v1' }, l: [], p: null } } },
      { patch: { spec: { z: 3 } } },
    ],
  },
  {
    name: 'rules and defaults',
    schema: {
      type: 'object',
      properties: {
        min: { ...whole, default: 5 },
        max: { ...whole, default: 10 },
        mode: { ...text, default: 'a', enum: ['a', 'b'] },
        list: {
          type: 'array',
          maxItems: 5,
          items: {
            type: 'object',
            nullable: true,
            properties: { n: { ...whole, default: 1 } },
            'x-kubernetes-validations': [{ rule: 'self.n < 5' }],
          },
          'x-kubernetes-validations': [{ rule: 'self.all(x, x != null)', message: 'no nulls' }],
        },
        maybe: {
          type: 'object',
          nullable: true,
          properties: { x: whole },
          'x-kubernetes-validations': [{ rule: 'has(self.x)' }],
        },
      },
      'x-kubernetes-validations': [
        { rule: 'self.min <= self.max' },
        { rule: "self.mode == 'a' || self.max > 20", message: 'b needs more' },
        { rule: '!has(self.maybe) || self.maybe == null || self.maybe.x > 0' },
      ],
    },
    steps: [
      { create: {} },
      { create: { min: 11 } },
      { create: { max: 4 } },
      { create: { mode: 'b' } },
      { create: { list: [{}, { n: 5 }] } },
      { create: { list: [null] } },
      { create: { maybe: null } },
      { create: { maybe: {} } },
      { create: { maybe: { x: 0 } } },
      { update: { mode: 'b', max: 21 } },
      { patch: { spec: { max: null } } },
    ],
  },
  {
    name: 'types in rules',
    schema: {
      type: 'object',
      properties: {
        n: { type: 'number' },
        i: whole,
        s: text,
        t: { ...text, format: 'date-time' },
        d: { ...text, format: 'date' },
        u: { ...text, format: 'duration' },
        y: { ...text, format: 'byte' },
        e: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
        m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'number' } },
        l: { type: 'array', maxItems: 5, items: { type: 'number' } },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.n) || type(self.n) == double' },
        { rule: '!has(self.i) || type(self.i) == int' },
        { rule: '!has(self.t) || self.t.getFullYear() == 2024', message: 'year' },
        { rule: '!has(self.d) || self.d.getMonth() == 0', message: 'month' },
        { rule: '!has(self.u) || self.u.getSeconds() == 60', message: 'seconds' },
        { rule: '!has(self.y) || size(self.y) == 3', message: 'bytes' },
        { rule: '!has(self.e) || type(self.e) == int || type(self.e) == string' },
        { rule: '!has(self.m) || self.m.all(k, type(self.m[k]) == double)' },
        { rule: '!has(self.l) || self.l.sum() == 6.0', message: 'sum' },
      ],
    },
    steps: [
      {
        create: {
          n: 1,
          i: 1,
          t: '2024-05-05T00:00:00Z',
          d: '2023-01-09',
          u: '1m',
          y: 'YWJj',
          e: 1,
          m: { a: 1, b: 1.5 },
          l: [1, 2, 3],
        },
      },
      { create: { t: '2025-05-05T00:00:00Z', d: '2023-02-09', u: '2m', y: 'YWI=', l: [1.5] } },
      { text: '{KIND,"spec":{"i":9223372036854775807,"n":1e300,"l":[6]}}' },
      { create: { t: '2024-05-05T00:00:00.5+02:00', u: '60 seconds' } },
      { create: { y: 'YW-_' } },
    ],
  },
];
