import type { Scenario } from '../scenario.ts';

const text = { type: 'string' } as const;
const port = { type: 'object', properties: { name: text, port: { type: 'integer' }, note: text } } as const;

export const lists: readonly Scenario[] = [
  {
    name: 'sets',
    schema: {
      type: 'object',
      properties: {
        texts: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        numbers: { type: 'array', items: { type: 'number' }, 'x-kubernetes-list-type': 'set' },
        either: { type: 'array', items: { 'x-kubernetes-int-or-string': true }, 'x-kubernetes-list-type': 'set' },
        nested: {
          type: 'object',
          additionalProperties: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        },
        objects: {
          type: 'array',
          'x-kubernetes-list-type': 'set',
          items: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        },
      },
    },
    steps: [
      { create: { texts: ['a', 'b'], numbers: [1, 2.5], either: [1, '1'] } },
      { create: { texts: ['a', 'b', 'a', 'a', 'b'] } },
      { create: { numbers: [1, 1, 2.5, 2.5] } },
      { create: { either: [1, '1', 1] } },
      { create: { nested: { x: ['a', 'a'], y: ['b'], 'z.z': ['c', 'c'] } } },
      { create: { objects: [{ a: '1', b: '2' }, { b: '2', a: '1' }, { a: '1' }] } },
      { create: { texts: ['a', 5, 5] } },
      { create: { texts: ['ok'] } },
      { update: { texts: ['x', 'x'] } },
    ],
  },
  {
    name: 'keyed lists',
    schema: {
      type: 'object',
      properties: {
        one: {
          type: 'array',
          items: { ...port, required: ['name'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        two: {
          type: 'array',
          items: { ...port, required: ['name', 'port'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'port'],
        },
        inner: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } },
          },
        },
      },
    },
    steps: [
      {
        create: {
          one: [{ name: 'a' }, { name: 'b' }],
          two: [
            { name: 'a', port: 1 },
            { name: 'a', port: 2 },
          ],
        },
      },
      { create: { one: [{ name: 'a' }, { name: 'a', note: 'x' }, { name: 'a' }] } },
      { create: { one: [{}, {}] } },
      { create: { one: ['a', { name: 'a' }] } },
      { create: { one: [null, null] } },
      { create: { one: [{ name: 5 }, { name: 5 }] } },
      {
        create: {
          two: [
            { name: 'a', port: 1 },
            { port: 1, name: 'a' },
          ],
        },
      },
      { create: { two: [{ name: 'a' }, { name: 'a' }] } },
      {
        create: {
          inner: [
            { name: 'a', set: ['x', 'x'] },
            { name: 'b', set: ['x'] },
          ],
        },
      },
      { create: { inner: [{ name: 'a', set: ['x', 'x'] }, { name: 'a' }] } },
    ],
  },
  {
    name: 'lists that become sets',
    schema: {
      type: 'object',
      properties: {
        l: { type: 'array', items: text },
        m: { type: 'array', items: text },
        o: { type: 'array', items: port },
      },
    },
    steps: [
      { create: { l: ['a', 'a'], m: ['b'], o: [{ name: 'x' }, { name: 'x' }] } },
      {
        redefine: {
          type: 'object',
          properties: {
            l: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
            m: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
            o: {
              type: 'array',
              items: { ...port, required: ['name'] },
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
            },
          },
        },
      },
      { create: { l: ['a', 'a'] } },
      { patch: { metadata: { labels: { a: 'b' } } } },
      { patch: { spec: { m: ['c', 'c'] } } },
      { patch: { spec: { l: ['a'], m: ['c', 'c'] } } },
      { patch: { spec: { l: ['a'], m: ['c'], o: [] } } },
      { patch: { spec: { l: ['a', 'a'] } } },
    ],
  },
  {
    name: 'keys that are not in the order of the alphabet',
    schema: {
      type: 'object',
      properties: {
        ports: {
          type: 'array',
          items: { ...port, required: ['port', 'name'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'name'],
        },
      },
    },
    steps: [
      {
        create: {
          ports: [
            { port: 1, name: 'a' },
            { name: 'a', port: 1 },
            { name: 'b', port: 1 },
          ],
        },
      },
    ],
  },
];
