import { expect, test } from 'vitest';
import type { KubernetesObject } from '../kind.ts';
import { byNamespace, Indexer } from './indexer.ts';
import { thing } from './testing/scripted-source.ts';

const byColor = (object: {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
}): readonly string[] => (object.metadata.labels?.['color'] ?? '').split('+').filter((color) => color !== '');

function names(objects: readonly { readonly metadata: { readonly name: string } }[]): string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

test('objects are found by key and under every value of an index', () => {
  const indexer = new Indexer<KubernetesObject>({ color: byColor, namespace: byNamespace });
  indexer.set(thing('a', 1, { labels: { color: 'red' } }));
  indexer.set(thing('b', 2, { labels: { color: 'red+blue' } }));
  indexer.set(thing('c', 3));

  expect(indexer.get('here/a')?.metadata.resourceVersion).toBe('1');
  expect(indexer.get('a')).toBeUndefined();
  expect(names(indexer.byIndex('color', 'red'))).toEqual(['a', 'b']);
  expect(names(indexer.byIndex('color', 'blue'))).toEqual(['b']);
  expect(names(indexer.byIndex('color', 'green'))).toEqual([]);
  expect(names(indexer.byIndex('namespace', 'here'))).toEqual(['a', 'b', 'c']);
  expect([...indexer.indexValues('color')].sort()).toEqual(['blue', 'red']);
  expect(indexer.size).toBe(3);
});

test('an object that changes moves in its indexes, one that goes leaves them', () => {
  const indexer = new Indexer<KubernetesObject>({ color: byColor });
  for (const name of ['a', 'b', 'c']) indexer.set(thing(name, 1, { labels: { color: 'red' } }));
  indexer.set(thing('a', 2, { labels: { color: 'blue' } }));

  expect(indexer.delete('here/b')).toBe(true);
  expect(indexer.delete('here/b')).toBe(false);

  expect(names(indexer.byIndex('color', 'red'))).toEqual(['c']);
  expect(names(indexer.byIndex('color', 'blue'))).toEqual(['a']);
  indexer.delete('here/c');
  expect([...indexer.indexValues('color')]).toEqual(['blue']);
});

test('an index that is added later has what is there already', () => {
  const indexer = new Indexer<KubernetesObject>();
  indexer.set(thing('a', 1, { labels: { color: 'red' } }));

  indexer.addIndex('color', byColor);

  expect(names(indexer.byIndex('color', 'red'))).toEqual(['a']);
  expect(() => indexer.addIndex('color', byColor)).toThrow('Cannot add index "color": there is one of that name');
  expect(() => indexer.byIndex('size', '1')).toThrow('Cannot look up by "size": there is no such index');
});
