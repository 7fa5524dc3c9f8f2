import type { Scenario, Step } from '../scenario.ts';

const text = { type: 'string' } as const;
const free = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** The same object with every way of validating fields. */
function strictly(create: unknown): Step[] {
  return [{ create }, { create, fieldValidation: 'Ignore' }, { create, fieldValidation: 'Strict' }];
}

export const pruning: readonly Scenario[] = [
  {
    name: 'pruning',
    schema: {
      type: 'object',
      properties: {
        a: text,
        o: { type: 'object', properties: { x: text } },
        l: { type: 'array', items: { type: 'object', properties: { x: text } } },
        m: { type: 'object', additionalProperties: { type: 'object', properties: { x: text } } },
        t: { type: 'object', additionalProperties: true },
        e: { type: 'object' },
      },
    },
    steps: [
      ...strictly({ a: 'x', z: 1 }),
      ...strictly({ z: { y: 1, x: [1] }, b: null, o: { x: 'x', y: 1, z: 2 } }),
      ...strictly({ l: [{ x: 'x', y: 1 }, { q: 1 }], m: { k: { x: 'x', y: 1 }, j: { p: 1 } } }),
      ...strictly({ t: { a: 1, b: { c: 1 }, d: [{ e: 1 }], n: null }, e: { x: 1 } }),
      { create: { a: { b: 1 } } },
      { create: { a: [{ b: 1 }] } },
      { create: { l: { x: 1 }, m: 5, o: [{ x: 'x', y: 1 }] } },
      { create: { '10': 'a', '2': 'b', ä: 1, 'a.b': 2, '': 3 }, fieldValidation: 'Strict' },
      { patch: { spec: { zz: 1, o: { yy: 1 } } } },
      { patch: { spec: { zz: 1, o: { yy: 1 } } }, fieldValidation: 'Strict' },
      { update: { a: 'y', later: 1 }, fieldValidation: 'Strict' },
      { update: { a: 'y', later: 1 } },
    ],
  },
  {
    name: 'preserving',
    schema: {
      type: 'object',
      ...free,
      properties: {
        a: text,
        o: { type: 'object', properties: { x: text } },
        p: { type: 'object', ...free, properties: { x: text, o: { type: 'object', properties: { y: text } } } },
        any: free,
        l: { type: 'array', items: free },
        lo: { type: 'array', items: { type: 'object', ...free, properties: { x: text } } },
        m: { type: 'object', additionalProperties: free },
      },
    },
    steps: [
      ...strictly({ z: { y: [{ x: null }] }, o: { x: 'x', y: 1 }, p: { q: null, o: { y: 'y', z: 1 } } }),
      ...strictly({
        any: { a: null, b: [null] },
        l: [{ a: 1 }, null, 'x'],
        lo: [{ x: 'a', y: 1 }],
        m: { k: { q: 1 }, j: null },
      }),
      { create: { p: { x: 5 }, lo: [{ x: 5 }], any: null } },
      { patch: { spec: { z: 1, o: { w: 1 } } } },
    ],
  },
  {
    name: 'preserving lists',
    schema: {
      type: 'object',
      properties: {
        l: {
          type: 'array',
          ...free,
          items: { type: 'object', properties: { x: text, o: { type: 'object', properties: { y: text } } } },
        },
      },
    },
    steps: strictly({ l: [{ x: 'a', z: { q: 1 }, o: { y: 'b', w: 1 } }] }),
  },
  {
    name: 'preserving everything',
    isWhole: true,
    schema: { type: 'object', ...free },
    steps: [
      { create: { spec: { b: 1, a: null }, other: [1], '10': 'x' }, fieldValidation: 'Strict' },
      { create: { spec: 'x', metadata2: {} } },
      { update: { spec: { b: 2 } } },
    ],
  },
  {
    name: 'fields that are withdrawn',
    schema: {
      type: 'object',
      properties: { a: text, b: text, o: { type: 'object', properties: { x: text, y: text } } },
    },
    steps: [
      { create: { a: '1', b: '2', o: { x: '3', y: '4' } } },
      { redefine: { type: 'object', properties: { a: text, o: { type: 'object', properties: { y: text } } } } },
      { get: true },
      { patch: { spec: { a: '5' } }, fieldValidation: 'Strict' },
      { get: true },
      {
        redefine: {
          type: 'object',
          properties: { a: text, b: text, o: { type: 'object', properties: { x: text, y: text } } },
        },
      },
      { get: true },
    ],
  },
  {
    name: 'numbers',
    schema: {
      type: 'object',
      properties: { i: { type: 'integer' }, n: { type: 'number' }, any: free },
    },
    steps: [
      { text: '{KIND,"spec":{"i":1.0,"n":1.0,"any":[1.0,1e2,1.5e300,0.1,-0]}}' },
      { text: '{KIND,"spec":{"i":9223372036854775807,"any":[9223372036854775807,12345678901234567]}}' },
      { text: '{KIND,"spec":{"i":9223372036854775808}}' },
      { text: '{KIND,"spec":{"i":1e19,"n":1e400}}' },
      { text: '{KIND,"spec":{"i":-9223372036854775808,"n":123456789012345678901}}' },
    ],
  },
];
