import { expect, test } from 'vitest';
import { type ApiObject, builtInTypes } from '../../api/index.ts';
import { jsonStorage, type Resource, type StorageCodec } from '../../apiserver/index.ts';
import { VirtualClock } from '../../base/index.ts';
import { openMemoryStore, type Store, StoreError } from '../../store/index.ts';
import { NearbyObjects } from './nearby-objects.ts';

const KIND = { group: '', version: 'v1', kind: 'LimitRange', folder: 'limitranges' };

function open(view: (store: Store) => Store = (store) => store) {
  const store = openMemoryStore({ clock: new VirtualClock() });
  let decoded = 0;
  const codecFor = ({ storage }: Pick<Resource, 'storage'>): StorageCodec => {
    const codec = jsonStorage(storage.type);
    const decode = (value: Uint8Array) => (decoded++, codec.decode(value));
    return { ...codec, encode: codec.encode.bind(codec), decode };
  };
  const types = builtInTypes();
  const objects = new NearbyObjects<ApiObject>({ store: view(store), types, codecFor }, KIND);
  const put = async (path: string): Promise<void> => {
    const [namespace = '', name = ''] = path.split('/');
    const value = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'LimitRange', metadata: { namespace, name } }));
    await store.commit({ conditions: [], operations: [{ type: 'put', key: objects.keyOf(path), value }] });
  };
  return { objects, put, decoded: () => decoded };
}

/** The same store as another machine's: all reads take time. */
function far(store: Store): Store {
  return { get: store.get.bind(store), range: store.range.bind(store) } as unknown as Store;
}

/** The same store before what it keeps in this process has come. */
function loading(store: Store): Store {
  const notYet = () => {
    throw new StoreError('Unavailable', 'not there yet');
  };
  return { ...far(store), readNow: notYet, rangeNow: notYet } as unknown as Store;
}

test.each([
  ['that is loading', loading],
  ['in this process', (store: Store) => store],
  ['elsewhere', far],
])('objects of a store %s are found by path and folder, and decoded once', async (_, view) => {
  const { objects, put, decoded } = open(view);
  await put('b/x');
  await put('a/y');
  await put('a/x');

  const names = (found: readonly ApiObject[]) => found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  expect(names(await objects.list('a/'))).toEqual(['a/x', 'a/y']);
  expect(names(await objects.list())).toEqual(['a/x', 'a/y', 'b/x']);
  expect((await objects.get('b/x'))?.metadata.name).toBe('x');
  expect(await objects.get('b/y')).toBeUndefined();
  expect(decoded()).toBe(3);
});

test('what has been written anew is read anew', async () => {
  const { objects, put, decoded } = open();
  await put('a/x');
  const before = await objects.get('a/x');
  await put('a/x');

  expect(await objects.get('a/x')).not.toBe(before);
  expect(decoded()).toBe(2);
});
