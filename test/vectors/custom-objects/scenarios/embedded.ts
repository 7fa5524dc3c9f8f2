import type { Scenario } from '../scenario.ts';

const text = { type: 'string' } as const;
const embeddedPlain = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
} as const;

export const embedded: readonly Scenario[] = [
  {
    name: 'embedded objects',
    schema: {
      type: 'object',
      properties: {
        any: embeddedPlain,
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: {
            kind: { ...text, enum: ['Pod', 'Job'] },
            metadata: { type: 'object', properties: { name: { ...text, maxLength: 4 } } },
            spec: { type: 'object', properties: { a: text, n: { type: 'integer', default: 3 } }, default: {} },
          },
        },
        list: { type: 'array', items: embeddedPlain },
        map: { type: 'object', additionalProperties: embeddedPlain },
      },
    },
    steps: [
      {
        create: { any: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } }, spec: { x: 1 } } },
      },
      { create: { any: {} } },
      { create: { any: { apiVersion: '', kind: '' } } },
      { create: { any: { apiVersion: 'a/b/c', kind: 'a b' } } },
      { create: { any: { apiVersion: 'v1', kind: 'Pod', metadata: {} } } },
      { create: { any: { apiVersion: 'v1', kind: 'Pod', metadata: null } } },
      {
        create: {
          any: { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: null, generation: 0, name: '' } },
        },
      },
      {
        create: {
          any: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'a/b', namespace: 'A', labels: { 'x y': 'z z' }, generation: -1, finalizers: ['a b'] },
          },
        },
      },
      {
        create: {
          any: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { generateName: '..', namespace: 'ok', annotations: { ' ': '' } },
          },
        },
      },
      { create: { any: { apiVersion: 'v1', kind: 'Pod', metadata: { ownerReferences: [{}] } } } },
      {
        create: {
          any: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { ownerReferences: null, labels: null, creationTimestamp: '2024-01-01T00:00:00Z' },
          },
        },
      },
      { create: { any: { kind: 'Pod' } } },
      { create: { any: null } },
      { create: { any: [] } },
      { create: { pod: { apiVersion: 'v1', kind: 'Pod' } } },
      { create: { pod: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'long-name' } } } },
      { create: { pod: { apiVersion: 'v1', kind: 'Job', metadata: { name: 'a', x: 1 }, more: 1, spec: { b: 1 } } } },
      { create: { list: [{ apiVersion: 'v1', kind: 'A' }, { kind: 'B' }, { apiVersion: 'v1', kind: '9x' }] } },
      {
        create: { map: { one: { apiVersion: 'v1' }, two: { apiVersion: 'x/y', kind: 'K', metadata: { name: '%' } } } },
      },
      {
        create: {
          any: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { managedFields: [{ operation: 'No' }], uid: 'x', resourceVersion: '5' },
          },
        },
      },
      { update: { any: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'q' }, spec: { x: 2 } } } },
      { update: { any: { kind: 'Pod' } } },
    ],
  },
  {
    name: 'rules of embedded objects',
    schema: {
      type: 'object',
      properties: {
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
          'x-kubernetes-validations': [
            { rule: "self.kind == 'Pod'", message: 'must be a pod' },
            { rule: "self.metadata.name.startsWith('p')" },
            { rule: "self.apiVersion == 'v1' && self.spec.n > 0" },
          ],
        },
      },
    },
    steps: [
      { create: { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { n: 1 } } } },
      { create: { pod: { apiVersion: 'v1', kind: 'Job', metadata: { name: 'q' }, spec: { n: 0 } } } },
      { create: { pod: { apiVersion: 'v1', kind: 'Pod' } } },
      { create: { pod: { kind: 'Job' } } },
    ],
  },
];
