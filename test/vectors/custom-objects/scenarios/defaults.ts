import { ABSENT, type Scenario } from '../scenario.ts';

const text = { type: 'string' } as const;

export const defaults: readonly Scenario[] = [
  {
    name: 'defaults of fields',
    schema: {
      type: 'object',
      properties: {
        s: { ...text, default: 'x' },
        i: { type: 'integer', default: 5 },
        z: { type: 'integer', default: 0 },
        b: { type: 'boolean', default: false },
        l: { type: 'array', items: text, default: ['a', 'b'] },
        o: { type: 'object', properties: { a: { ...text, default: 'in' }, b: text }, default: {} },
        p: { type: 'object', properties: { a: { ...text, default: 'in' }, b: text } },
        q: { type: 'object', properties: { a: { ...text, default: 'in' }, b: text }, default: { b: 'given' } },
        n: { ...text, nullable: true, default: 'x' },
        y: { ...text, nullable: true },
        e: { 'x-kubernetes-int-or-string': true, default: '50%' },
        m: { type: 'object', additionalProperties: { ...text, default: 'v' }, default: { k: 'd' } },
        u: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { any: [1, { b: 2, a: 1 }] } },
      },
    },
    steps: [
      { create: {} },
      { create: ABSENT },
      { create: { s: '', i: 0, b: true, l: [], o: { b: 'x' }, p: {}, q: {} } },
      { create: { s: null, i: null, l: null, o: null, p: null, q: null, n: null, y: null, e: null, m: null } },
      { create: { m: { a: null, b: 'x' } } },
      { create: { o: { a: null }, q: { a: null, b: null } } },
      { create: { s: 5 } },
      { create: { u: {} } },
      { update: { s: 'y' } },
      { patch: { spec: { s: null, m: { k: null }, q: { b: null } } } },
      { patch: { spec: { o: null, l: null } } },
    ],
  },
  {
    name: 'defaults in lists and maps',
    schema: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: text, port: { type: 'integer', default: 80 } },
            default: { name: 'none' },
          },
        },
        texts: { type: 'array', items: { ...text, default: 'd' } },
        nulls: { type: 'array', items: { ...text, nullable: true, default: 'd' } },
        byName: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: { port: { type: 'integer', default: 80 } },
            default: { port: 1 },
          },
        },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'protocol'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, protocol: { ...text, default: 'TCP' } },
          },
        },
      },
    },
    steps: [
      { create: { items: [{ name: 'a' }, { name: 'b', port: 1 }, {}] } },
      { create: { items: [null, { name: null }] } },
      { create: { texts: ['a', null], nulls: ['a', null] } },
      { create: { byName: { a: {}, b: null, c: { port: null } } } },
      { create: { keyed: [{ name: 'a' }, { name: 'a', protocol: 'UDP' }] } },
      { create: { keyed: [{ name: 'a' }, { name: 'a', protocol: 'TCP' }] } },
      { create: { items: 'x', texts: {}, byName: [] } },
    ],
  },
  {
    name: 'defaults that come later',
    schema: { type: 'object', properties: { a: text, o: { type: 'object', properties: { x: text } } } },
    steps: [
      { create: { a: 'x', o: {} } },
      {
        redefine: {
          type: 'object',
          properties: {
            a: { ...text, default: 'new' },
            b: { ...text, default: 'late' },
            o: { type: 'object', properties: { x: { ...text, default: 'inner' } } },
          },
        },
      },
      { get: true },
      { patch: { metadata: { labels: { a: 'b' } } } },
      { update: { a: 'y' } },
      { get: true },
      { redefine: { type: 'object', properties: { b: { ...text, default: 'other' } } } },
      { get: true },
      { create: {} },
    ],
  },
  {
    name: 'nulls that come later',
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    steps: [
      { create: { a: null, b: { c: null, d: 1 }, l: [null, { e: null }], extra: { x: null } } },
      {
        redefine: {
          type: 'object',
          properties: {
            a: { ...text, default: 'filled' },
            b: { type: 'object', properties: { c: { ...text, nullable: true }, d: { type: 'integer' } } },
            l: { type: 'array', items: { type: 'object', nullable: true, properties: { e: text } } },
          },
        },
      },
      { get: true },
      { patch: { spec: { b: { d: 2 } } } },
    ],
  },
  {
    name: 'defaults of objects inside',
    schema: {
      type: 'object',
      properties: {
        o: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          default: {
            kind: 'Pod',
            apiVersion: 'v1',
            metadata: { name: 'p', labels: { b: 'c', a: 'b' } },
            spec: { z: 1, a: 2 },
          },
        },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            x: { ...text, default: 'd' },
            o: { type: 'object', properties: { y: { ...text, default: 'e' } } },
          },
        },
        list: {
          type: 'array',
          default: [{}, { x: 'given' }],
          items: {
            type: 'object',
            properties: { x: { ...text, default: 'item' }, n: { type: 'number', default: 1.5 } },
          },
        },
        map: {
          type: 'object',
          default: { k: {} },
          additionalProperties: { type: 'object', properties: { x: { ...text, default: 'value' } } },
        },
        big: { type: 'integer', default: 9007199254740991 },
        text: { ...text, default: 'ä<>&"' },
      },
    },
    steps: [
      { create: {} },
      { create: { free: {}, list: [], map: {} } },
      { create: { free: { z: {}, o: {} }, map: { a: {}, b: { x: 'y' } } } },
      { create: { o: { apiVersion: 'v1', kind: 'Job' } } },
    ],
  },
  {
    name: 'defaults of the root',
    isWhole: true,
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', default: {}, properties: { size: { type: 'integer', default: 1 } } },
        mode: { ...text, default: 'auto', enum: ['auto', 'off'] },
      },
    },
    steps: [{ create: {} }, { create: { spec: null, mode: null } }, { create: { spec: { size: 2 }, mode: 'on' } }],
  },
];
