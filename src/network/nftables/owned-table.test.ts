import { expect, test } from 'vitest';
import { type OwnedContent, OwnedTable } from './owned-table.ts';

const slice = { isOver: false, next: async () => undefined };

/** A table with one map and one set, that remembers what owners state. */
class StatedTable {
  readonly owned = new OwnedTable('ip t', [
    { name: 'ips', type: 'map' },
    { name: 'all', type: 'set' },
  ]);
  readonly #stated = new Map<string, OwnedContent>();

  change(contents: readonly (readonly [string, OwnedContent | undefined])[]): Promise<string[]> {
    const changes = contents.map(([owner, after]) => ({ owner, before: this.#stated.get(owner), after }));
    for (const [owner, after] of contents) {
      if (after === undefined) this.#stated.delete(owner);
      else this.#stated.set(owner, after);
    }
    return this.owned.change(changes, slice);
  }
}

interface Wanted {
  readonly ips?: Readonly<Record<string, string>>;
  readonly all?: readonly string[];
  readonly chains?: Readonly<Record<string, readonly string[]>>;
  readonly sets?: Readonly<Record<string, string>>;
}

function content({ ips = {}, all = [], chains = {}, sets = {} }: Wanted): OwnedContent {
  return {
    elements: [
      ...Object.entries(ips).map(([key, value]) => ({ container: 'ips', key, value })),
      ...all.map((key) => ({ container: 'all', key, value: undefined })),
    ],
    chains: new Map(Object.entries(chains)),
    sets: new Map(Object.entries(sets)),
  };
}

test('a new owner adds sets, chains and rules before the elements that lead to them', async () => {
  const table = new StatedTable();
  const web = content({
    ips: { '1.1.1.1': 'goto c/a' },
    all: ['1.1.1.1'],
    chains: { 'c/a': ['drop'] },
    sets: { s: '{ }' },
  });
  expect(await table.change([['web', web]])).toEqual([
    'add set ip t s { }',
    'add chain ip t c/a',
    'add rule ip t c/a drop',
    'add element ip t ips { 1.1.1.1 : goto c/a }',
    'add element ip t all { 1.1.1.1 }',
  ]);
  expect(await table.change([['web', web]])).toEqual([]);
});

test('what changed is replaced, and what is gone is emptied now and deleted later', async () => {
  const table = new StatedTable();
  const first = {
    chains: { 'c/a': ['drop'], 'c/b': ['accept'] },
    ips: { a: 'goto c/a', b: 'goto c/b' },
    sets: { s: '{ }' },
  };
  await table.change([['web', content(first)]]);
  const second = { chains: { 'c/a': ['accept'] }, ips: { a: 'drop' } };
  expect(await table.change([['web', content(second)]])).toEqual([
    'add chain ip t c/a',
    'flush chain ip t c/a',
    'add rule ip t c/a accept',
    'delete element ip t ips { b, a }',
    'add element ip t ips { a : drop }',
    'flush chain ip t c/b',
    'delete set ip t s',
  ]);
  const deletions = table.owned.removable();
  expect(deletions).toEqual(['delete chain ip t c/b']);
  table.owned.removed(deletions);
  expect(table.owned.removable()).toEqual([]);
  expect(await table.change([['web', undefined]])).toEqual(['delete element ip t ips { a }', 'flush chain ip t c/a']);
});

test('a chain that comes back before it is deleted is emptied and kept', async () => {
  const table = new StatedTable();
  const web = content({ chains: { 'c/a': ['drop'] } });
  await table.change([['web', web]]);
  await table.change([['web', undefined]]);
  expect(await table.change([['web', web]])).toEqual([
    'add chain ip t c/a',
    'flush chain ip t c/a',
    'add rule ip t c/a drop',
  ]);
  expect(table.owned.removable()).toEqual([]);
});

test('an element of several owners stays until the last one leaves, with the value of the first by name', async () => {
  const table = new StatedTable();
  const of = (value: string) => content({ ips: { k: value } });
  expect(await table.change([['b', of('drop')]])).toEqual(['add element ip t ips { k : drop }']);
  expect(await table.change([['c', of('accept')]])).toEqual([]);
  expect(await table.change([['a', of('accept')]])).toEqual([
    'delete element ip t ips { k }',
    'add element ip t ips { k : accept }',
  ]);
  expect(await table.change([['b', undefined]])).toEqual([]);
  expect(await table.change([['a', undefined]])).toEqual([]);
  expect(await table.change([['c', undefined]])).toEqual(['delete element ip t ips { k }']);
});

test('owners that hand an element over in one transaction change it once', async () => {
  const table = new StatedTable();
  await table.change([['b', content({ ips: { k: 'drop' }, all: ['k'] })]]);
  const changes: [string, OwnedContent | undefined][] = [
    ['b', undefined],
    ['z', content({ ips: { k: 'accept' }, all: ['k'] })],
    ['a', content({ ips: { k: 'drop', new: 'drop' } })],
    ['0', content({ ips: { new: 'accept' } })],
  ];
  expect(await table.change(changes)).toEqual(['add element ip t ips { new : accept }']);
});

test('everything is made again over what exists, and the rest of it is removed', async () => {
  const table = new StatedTable();
  await table.change([['old', content({ ips: { gone: 'drop' } })]]);
  const contents: [string, OwnedContent][] = [
    ['web', content({ chains: { 'c/a': ['drop'], 'c/n': ['drop'] }, ips: { a: 'goto c/a' }, sets: { s: '{ }' } })],
  ];
  const existing = { chains: ['c/a', 'c/x'], sets: ['s', 'y'] };
  expect(await collected(table.owned.replace(contents, { existing, slice }))).toEqual([
    [
      'add set ip t s { }',
      'add chain ip t c/a',
      'flush chain ip t c/a',
      'add chain ip t c/n',
      'add rule ip t c/a drop',
      'add rule ip t c/n drop',
      'flush map ip t ips',
      'flush set ip t all',
      'add element ip t ips { a : goto c/a }',
      'flush chain ip t c/x',
      'delete set ip t y',
    ],
  ]);
  expect(table.owned.removable()).toEqual(['delete chain ip t c/x']);
});

test('much is made in several transactions, the last of which has the elements', async () => {
  const { owned } = new StatedTable();
  const of = (name: string): [string, OwnedContent] => [
    name,
    content({ chains: { [`c/${name}`]: ['drop', 'drop'] }, ips: { [name]: 'drop' } }),
  ];
  const transactions = await collected(
    owned.replace([of('a'), of('b'), of('c')], { existing: undefined, slice, commandsAtOnce: 5 }),
  );
  expect(transactions.map((commands) => commands.map((command) => command.split(' ').slice(0, 2).join(' ')))).toEqual([
    ['add chain', 'add chain', 'add rule', 'add rule', 'add rule', 'add rule'],
    ['add chain', 'add rule', 'add rule', 'add element'],
  ]);
});

test('many elements are several commands', async () => {
  const table = new StatedTable();
  const all = Array.from({ length: 1001 }, (_, at) => `${at}`);
  const commands = await table.change([['web', content({ all })]]);
  expect(commands.map((command) => command.split(',').length)).toEqual([500, 500, 1]);
});

async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of all) found.push(each);
  return found;
}
