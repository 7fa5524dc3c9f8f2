import { expect, test } from 'vitest';
import { type KubernetesObject, namespacedKind } from '../kind.ts';
import { Indexer } from './indexer.ts';
import { byNamespace, index } from './object-index.ts';
import { tally } from './tally.ts';
import { thing } from './testing/scripted-source.ts';

const Thing = namespacedKind<KubernetesObject>({ apiVersion: 'v1', kind: 'Thing', plural: 'things' });
const byColor = index(Thing, ({ metadata }) => metadata.labels?.['color']?.split('+'));

function names(objects: readonly { readonly metadata: { readonly name: string } }[]): string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

test('objects are found by key and under every value of an index', () => {
  const indexer = new Indexer<KubernetesObject>();
  indexer.set(thing('a', 1, { labels: { color: 'red' } }));
  indexer.set(thing('b', 2, { labels: { color: 'red+blue' } }));
  indexer.set(thing('c', 3));

  expect(indexer.get('here/a')?.metadata.resourceVersion).toBe('1');
  expect(indexer.get('a')).toBeUndefined();
  expect(names(indexer.byIndex(byColor, 'red'))).toEqual(['a', 'b']);
  expect(names(indexer.byIndex(byColor, 'blue'))).toEqual(['b']);
  expect(names(indexer.byIndex(byColor, 'green'))).toEqual([]);
  expect(names(indexer.byIndex(byNamespace, 'here'))).toEqual(['a', 'b', 'c']);
  expect([...indexer.indexValues(byColor)].sort()).toEqual(['blue', 'red']);
  expect(indexer.size).toBe(3);
});

test('a changed object moves in its indexes, a deleted one leaves them', () => {
  const indexer = new Indexer<KubernetesObject>();
  for (const name of ['a', 'b', 'c']) indexer.set(thing(name, 1, { labels: { color: 'red' } }));
  expect(names(indexer.byIndex(byColor, 'red'))).toEqual(['a', 'b', 'c']);
  indexer.set(thing('a', 2, { labels: { color: 'blue' } }));

  expect(indexer.delete('here/b')).toBe(true);
  expect(indexer.delete('here/b')).toBe(false);

  expect(names(indexer.byIndex(byColor, 'red'))).toEqual(['c']);
  expect(names(indexer.byIndex(byColor, 'blue'))).toEqual(['a']);
  indexer.delete('here/c');
  expect([...indexer.indexValues(byColor)]).toEqual(['blue']);
});

test('an index is built at the first look-up, once for all readers', () => {
  let asked = 0;
  const byName = index(Thing, ({ metadata }) => (asked++, metadata.name));
  const indexer = new Indexer<KubernetesObject>();
  indexer.set(thing('a', 1));
  expect(asked).toBe(0);

  for (let user = 0; user < 3; user++) expect(names(indexer.byIndex(byName, 'a'))).toEqual(['a']);

  expect(asked).toBe(1);
});

test('a text is one value, and undefined is none', () => {
  const byNode = index(Thing, ({ metadata }) => metadata.labels?.['node']);
  const indexer = new Indexer<KubernetesObject>();
  indexer.set(thing('a', 1, { labels: { node: 'n1' } }));
  indexer.set(thing('b', 2));
  expect([...indexer.indexValues(byNode)]).toEqual(['n1']);

  indexer.set(thing('a', 3));
  indexer.set(thing('b', 4, { labels: { node: 'n2' } }));

  expect([...indexer.indexValues(byNode)]).toEqual(['n2']);
  expect(names(indexer.byIndex(byNode, 'n2'))).toEqual(['b']);
});

test('objects are counted by value and group, before and after changes and deletions', () => {
  const colors = tally(Thing, {
    valueOf: ({ metadata }) => metadata.labels?.['shape'],
    groupOf: ({ metadata }) => metadata.labels?.['color'] ?? 'none',
  });
  const indexer = new Indexer<KubernetesObject>();
  const paint = (name: string, color: string): void =>
    indexer.set(thing(name, 1, { labels: { shape: 'round', color } }));
  paint('a', 'red');
  paint('b', 'red');
  indexer.set(thing('c', 1));

  expect([...indexer.counts(colors, 'round')]).toEqual([['red', 2]]);
  paint('a', 'blue');
  paint('d', 'blue');
  expect([...indexer.counts(colors, 'round')].sort()).toEqual([
    ['blue', 2],
    ['red', 1],
  ]);
  for (const name of ['a', 'b']) indexer.delete(`here/${name}`);
  indexer.set(thing('d', 2));
  expect([...indexer.counts(colors, 'round')]).toEqual([]);
});
