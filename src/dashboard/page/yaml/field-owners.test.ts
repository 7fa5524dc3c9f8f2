import { expect, test } from 'vitest';
import { ownersOf, pathKey } from './field-owners.ts';

test('ownersOf() finds members, elements by key, by value and by index', () => {
  const object = {
    metadata: { finalizers: ['a', 'b'], labels: { app: 'web' } },
    spec: { containers: [{ name: 'one' }, { name: 'two', image: 'x' }], args: ['p', 'q'] },
  };
  const entry = {
    manager: 'someone',
    fieldsV1: {
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"b"': {} }, 'f:labels': { 'f:app': {} } },
      'f:spec': {
        'f:containers': { 'k:{"name":"two"}': { '.': {}, 'f:image': {} }, 'k:{"name":"gone"}': { '.': {} } },
        'f:args': { 'i:1': {} },
      },
    },
  };
  const owners = ownersOf(object, [entry]);
  expect([...owners.keys()].sort()).toEqual(
    [
      ['metadata', 'finalizers'],
      ['metadata', 'finalizers', 1],
      ['metadata', 'labels', 'app'],
      ['spec', 'containers', 1],
      ['spec', 'containers', 1, 'image'],
      ['spec', 'args', 1],
    ]
      .map(pathKey)
      .sort(),
  );
  expect(owners.get(pathKey(['metadata', 'labels', 'app']))).toEqual([entry]);
});

test('ownersOf() takes fields that are not as they should be for none', () => {
  expect(ownersOf({ a: 1 }, [{ fieldsV1: { 'k:{broken': {}, 'f:a': null, x: 3 } }, { fieldsV1: 'text' }]).size).toBe(1);
});
