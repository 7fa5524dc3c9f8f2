import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import type { PlainObject } from '../json/index.ts';
import { conversionError } from './conversion-error.ts';
import { goSyntax, goText } from './go-value-text.ts';
import { withoutDuplicates } from './strategic-merge-lists.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';

const types = builtInTypes();
const podSpec = types.struct('io.k8s.api.core.v1.PodSpec');
const meta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const deployment = types.struct('io.k8s.api.apps.v1.DeploymentSpec');

const patchSpec = (target: PlainObject, patch: PlainObject): unknown =>
  applyStrategicMergePatch(target, patch, podSpec).patched;
const patchMeta = (target: PlainObject, patch: PlainObject): unknown =>
  applyStrategicMergePatch(target, patch, meta).patched;
const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

describe('a strategic merge patch', () => {
  test('merges list items by key, and sets their order', () => {
    expect(
      patchSpec({ containers: named('a', 'b', 'c') }, { containers: [{ name: 'c', image: 'i' }, { name: 'x' }] }),
    ).toEqual({
      containers: [{ name: 'a' }, { name: 'b' }, { name: 'c', image: 'i' }, { name: 'x' }],
    });
  });

  test('deletes an item, or replaces the whole list', () => {
    expect(patchSpec({ containers: named('a', 'b') }, { containers: [{ $patch: 'delete', name: 'a' }] })).toEqual({
      containers: named('b'),
    });
    expect(patchSpec({ containers: named('a', 'b') }, { containers: [{ name: 'x' }, { $patch: 'replace' }] })).toEqual({
      containers: named('x'),
    });
  });

  test('replaces or empties an object', () => {
    expect(patchMeta({ labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } })).toEqual({
      labels: { b: '2' },
    });
    expect(patchMeta({ labels: { a: '1' } }, { labels: { $patch: 'delete' } })).toEqual({ labels: {} });
  });

  test('unites lists of scalars, and takes items out of them', () => {
    expect(patchMeta({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
    expect(patchMeta({ finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] })).toEqual({
      finalizers: ['b'],
    });
  });

  test('sets the order of a list, with or without changing it', () => {
    const order = { '$setElementOrder/containers': named('c', 'a') };
    expect(patchSpec({ containers: named('a', 'b', 'c') }, order)).toEqual({ containers: named('b', 'c', 'a') });
    expect(patchSpec({ containers: named('a', 'c') }, { ...order, containers: [{ name: 'a', image: 'i' }] })).toEqual({
      containers: [{ name: 'c' }, { name: 'a', image: 'i' }],
    });
  });

  test('places new items where deleted ones were, when it sets the order', () => {
    const containers = [{ name: 'x' }, { $patch: 'delete', name: 'b' }];
    const patch = { containers, '$setElementOrder/containers': named('x') };
    expect(patchSpec({ containers: named('a', 'b') }, patch)).toEqual({ containers: named('a', 'x') });
  });

  test('retains only the given keys', () => {
    const target = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    const patch = { strategy: { $retainKeys: ['type'], type: 'Recreate' } };
    expect(applyStrategicMergePatch(target, patch, deployment).patched).toEqual({ strategy: { type: 'Recreate' } });
  });

  test('removes by null, also new members', () => {
    expect(patchMeta({ labels: { a: '1' }, name: 'n' }, { labels: null, annotations: { a: null, b: '1' } })).toEqual({
      name: 'n',
      annotations: { b: '1' },
    });
  });

  test('changes neither the object nor the patch', () => {
    const target = Object.freeze({ containers: Object.freeze(named('a')) });
    const patch = { containers: [{ name: 'a', $retainKeys: ['name'] }] };
    const before = JSON.stringify(patch);
    patchSpec(target, patch);
    expect(JSON.stringify(patch)).toBe(before);
  });

  test.each([
    [{ containers: [{ image: 'i' }] }, 500, 'map: map[image:i] does not contain declared merge key: name'],
    [{ containers: [{ $patch: 'delete' }] }, 500, 'map: map[$patch:delete] does not contain declared merge key: name'],
    [{ containers: [{ $patch: 'merge', name: 'a' }] }, 500, 'merging lists cannot yet be specified in the patch'],
    [{ containers: [{ $patch: 'x', name: 'a' }] }, 500, 'unknown patch type: x in map: map[$patch:x name:a]'],
    [{ containers: [5] }, 500, 'list element types are not identical: [[map[name:a]] [5]]'],
    [
      { containers: [['a']], '$setElementOrder/containers': [] },
      500,
      'list element types are not identical: [[map[name:a]] [[a]]]',
    ],
    [{ $retainKeys: 'x' }, 400, 'invalid patch format of retainKeys'],
    [{ $retainKeys: ['x'], containers: [] }, 400, 'invalid patch format of retainKeys'],
    [{ $deleteFromPrimitiveList: [1] }, 400, 'invalid patch format of primitive list'],
    [{ $setElementOrder: [1] }, 400, 'invalid patch format of setElementOrder list'],
    [{ '$setElementOrder/x': [1] }, 500, 'unable to find api field in struct PodSpec for the json field "x"'],
    [{ '$setElementOrder/hostname': [1] }, 500, 'expected slice or array type, but got: struct'],
    [
      { '$setElementOrder/containers': named('b'), containers: named('a') },
      500,
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
    ],
  ])('%j is refused', (patch, code, message) => {
    expect(() => patchSpec({ containers: named('a') }, patch)).toThrow(
      expect.objectContaining({ code, message }) as Error,
    );
  });
});

test.each([
  [
    [1, 1, 2, 3],
    [1, 3, 2],
  ],
  [
    ['a', 'b', 'a', 'c', 'a'],
    ['a', 'b', 'c'],
  ],
  [['a', 'a', 'a'], ['a']],
  [
    ['a', 'b', 'b', 'a', 'c', 'c', 'd'],
    ['a', 'b', 'c', 'd'],
  ],
])('duplicates in %j give their places to the last items: %j', (items, want) => {
  expect(withoutDuplicates(items)).toEqual(want);
});

test('removes duplicates in linear time', () => {
  const items = Array.from({ length: 200_000 }, (_, index) => index % 1000);
  expect(withoutDuplicates(items)).toHaveLength(1000);
});

test('values are printed as Go prints them', () => {
  const value = { b: [1, 'x', null, true], a: { c: 1.5, d: 1e21, e: 0.00001 } };
  expect(goText(value)).toBe('map[a:map[c:1.5 d:1e+21 e:1e-05] b:[1 x <nil> true]]');
  expect(goSyntax({ a: ['x', 1.5e7, 12_345_678.5] })).toBe(
    'map[string]interface {}{"a":[]interface {}{"x", 15000000, 1.23456785e+07}}',
  );
});

test.each([
  [{ replicas: 'x' }, 'unrecognized type: int32'],
  [{ replicas: 1.5 }, 'cannot convert float64 to int32'],
  [{ paused: 'x' }, 'unrecognized type: bool'],
  [{ template: 5 }, 'cannot restore struct from: int64'],
  [{ template: { metadata: { labels: { a: 5 } } } }, 'cannot convert int64 to string'],
  [{ template: { metadata: { labels: [] } } }, 'cannot restore map from slice'],
  [{ template: { spec: { containers: {} } } }, 'cannot restore slice from map'],
  [{ template: { spec: { dnsPolicy: 5 } } }, 'cannot convert int64 to v1.DNSPolicy'],
  [
    { template: { metadata: { creationTimestamp: 'now' } } },
    'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
  ],
  [{ replicas: 3, paused: null }, undefined],
])('%j cannot be converted: %s', (value, message) => {
  expect(conversionError(value, deployment)).toBe(message);
});
