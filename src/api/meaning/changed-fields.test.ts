import { expect, test } from 'vitest';
import { changedFields } from './changed-fields.ts';

test('says which fields changed, from what to what', () => {
  const before = { metadata: { resourceVersion: '1', labels: { app: 'web' } }, spec: { replicas: 3, paused: true } };
  const after = { metadata: { resourceVersion: '2', labels: { app: 'shop' } }, spec: { replicas: 9 } };
  expect(changedFields(before, after)).toEqual([
    'spec.paused removed',
    'spec.replicas: 3 → 9',
    'metadata.labels.app: web → shop',
  ]);
});

test('calls elements of lists by their names and types, and quotes names that are no words', () => {
  const before = {
    metadata: { annotations: {} },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  };
  const after = {
    metadata: { annotations: { 'example.com/a~b': 'x' } },
    spec: { containers: [{ name: 'web', image: 'nginx:2' }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  expect(changedFields(before, after)).toEqual([
    'spec.containers[web].image: nginx:1 → nginx:2',
    'metadata.annotations["example.com/a~b"]: x',
    'status.conditions[Ready].status: False → True',
  ]);
});

test('leaves out bookkeeping, cuts long values, and counts what there is more of', () => {
  const before = { metadata: { managedFields: [1], generation: 1 }, data: {} };
  const after = {
    metadata: { managedFields: [1, 2], generation: 2 },
    data: { a: 'x'.repeat(100), b: [1, 2], c: { d: 1 }, e: '', f: 'f', g: 'g' },
  };
  expect(changedFields(before, after)).toEqual([
    `data.a: ${'x'.repeat(48)}…`,
    'data.b: [2]',
    'data.c: {…}',
    'data.e: ""',
    '2 more',
  ]);
});
