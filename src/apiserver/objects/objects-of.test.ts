import { expect, test } from 'vitest';
import { type ApiObject, builtInTypes } from '../../api/index.ts';
import { discardLogger, VirtualClock } from '../../base/index.ts';
import { openMemoryStore, type Store, StoreError, type WatchBatch } from '../../store/index.ts';
import { builtInCapabilities } from '../capabilities.ts';
import { jsonStorage, type StorageCodec } from '../storage/storage-codec.ts';
import { ServerObjects, type StoredKind } from './server-objects.ts';

const type = builtInTypes().struct('io.k8s.api.core.v1.ConfigMap');
const KIND: StoredKind = {
  group: '',
  plural: 'configmaps',
  namespaced: true,
  storage: { prefix: '/registry/configmaps/', apiVersion: 'v1', kind: 'ConfigMap', type, encoding: 'protobuf' },
  capabilities: builtInCapabilities,
};

function open(view: (store: Store) => Store = (store) => store) {
  const clock = new VirtualClock();
  const store = openMemoryStore({ clock });
  let decoded = 0;
  const codecFor = ({ storage }: StoredKind): StorageCodec => {
    const codec = jsonStorage(storage.type);
    return { encode: codec.encode, decode: (value) => (decoded++, codec.decode(value)) };
  };
  const server = new ServerObjects({ store: view(store), codecFor, clock, log: discardLogger });
  const objects = server.of('', 'configmaps');
  server.register(KIND);
  const put = async (namespace: string, name: string, data: Record<string, string> = {}): Promise<void> => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace, name }, data };
    await store.commit({ conditions: [], operations: [objects.putting(objects.keyOf(namespace, name), object)] });
  };
  const remove = async (namespace: string, name: string): Promise<void> => {
    await store.commit({ conditions: [], operations: [{ type: 'delete', key: objects.keyOf(namespace, name) }] });
  };
  return { server, objects, store, put, remove, decoded: () => decoded };
}

/** The same store as if in another process: all reads are asynchronous. */
function far(store: Store): Store {
  const { get, range, commit, revision, watch } = store;
  const methods = { get, range, commit, revision, watch };
  const bound = Object.entries(methods).map(([name, method]) => [name, method.bind(store as never)]);
  return Object.fromEntries(bound) as Store;
}

/** The same store while its in-process copy is still loading. */
function loading(store: Store): Store {
  const notYet = () => {
    throw new StoreError('Unavailable', 'not there yet');
  };
  return { ...far(store), readNow: notYet, rangeNow: notYet } as Store;
}

function names(found: readonly ApiObject[]): string[] {
  return found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

/** Lets watches deliver their events. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ['that is loading', loading],
  ['in this process', (store: Store) => store],
  ['elsewhere', far],
])('objects of a store %s are found by name and namespace, and decoded once', async (_, view) => {
  const { objects, put, decoded } = open(view);
  await put('b', 'x');
  await put('a', 'y');
  await put('a', 'x');

  expect(names(await objects.list('a'))).toEqual(['a/x', 'a/y']);
  expect(names(await objects.list())).toEqual(['a/x', 'a/y', 'b/x']);
  expect(names(await objects.newestList('b'))).toEqual(['b/x']);
  expect((await objects.get('b', 'x'))?.metadata).toMatchObject({ name: 'x', resourceVersion: '1' });
  expect(await objects.get('b', 'y')).toBeUndefined();
  expect(decoded()).toBe(3);
});

test('all readers get the same frozen object, synchronously, until it is written again', async () => {
  const { objects, put } = open();
  await put('a', 'x');
  const before = objects.getNow('a', 'x');
  expect(objects.listNow('a')[0]).toBe(before);
  expect(await objects.newest('a', 'x')).toBe(before);
  expect(Object.isFrozen(before?.metadata)).toBe(true);

  await put('a', 'x');

  expect(objects.getNow('a', 'x')).not.toBe(before);
});

test('a store in another process cannot be read synchronously', () => {
  const { objects } = open(far);
  expect(() => objects.getNow('a', 'x')).toThrow(expect.objectContaining({ reason: 'Unavailable' }));
});

test('the objects of a kind can be requested before it is registered, and read afterwards', () => {
  const { server } = open();
  const secrets = server.of('', 'secrets');
  expect(() => secrets.getNow('a', 'x')).toThrow('Cannot look at "secrets.": no such kind is registered');

  server.register({ ...KIND, plural: 'secrets', storage: { ...KIND.storage, prefix: '/registry/secrets/' } });

  expect(secrets.getNow('a', 'x')).toBeUndefined();
});

test('an object is replaced only if it has not changed since it was read', async () => {
  const { objects, put } = open();
  await put('a', 'x');
  const key = objects.keyOf('a', 'x');
  const read = objects.getNow('a', 'x') as ApiObject;

  expect(await objects.replace(key, read, { ...read, data: { changed: 'yes' } })).toBe(true);
  expect(await objects.replace(key, read, { ...read, data: { changed: 'twice' } })).toBe(false);
  expect(objects.getNow('a', 'x')).toMatchObject({ data: { changed: 'yes' } });
});

test('waiting for an object ends as soon as it is written', async () => {
  const { objects, put } = open();
  const waiting = objects.appearance('a', 'x', new AbortController().signal);
  await turn();
  await put('a', 'x');

  expect((await waiting)?.metadata.name).toBe('x');
  expect(await objects.appearance('a', 'y', AbortSignal.abort())).toBeUndefined();
});

test('an index has all objects immediately and follows their changes', async () => {
  const { objects, put, remove } = open();
  await put('a', 'x', { team: 'red' });
  await put('a', 'y', { team: 'blue' });
  const byTeam = objects.index('team', (object) => [(object['data'] as { team: string }).team]);

  expect(names(byTeam.get('red'))).toEqual(['a/x']);
  await put('b', 'z', { team: 'red' });
  await put('a', 'x', { team: 'blue' });
  await remove('a', 'y');
  await turn();

  expect(names(byTeam.get('red'))).toEqual(['b/z']);
  expect(names(byTeam.get('blue'))).toEqual(['a/x']);
  expect(byTeam.get('blue')).toBe(byTeam.get('blue'));
  expect(objects.index('team', () => [])).toBe(byTeam);
});

test.each([
  ['in this process', (store: Store) => store],
  ['elsewhere', far],
])(
  'handlers of a store %s receive the initial state, then every change, until they are disposed of',
  async (_, view) => {
    const { objects, put, remove } = open(view);
    await put('a', 'x');
    const received: string[] = [];
    const subscription = objects.onChange(({ key, current, previous }) =>
      received.push(
        `${key.slice(-3)} ${previous?.metadata.resourceVersion ?? '-'} ${current?.metadata.resourceVersion ?? '-'}`,
      ),
    );
    await turn();
    await put('a', 'x');
    await remove('a', 'x');
    await turn();
    subscription[Symbol.dispose]();
    await put('a', 'y');
    await turn();

    expect(received).toEqual(['a/x - 1', 'a/x 1 2', 'a/x 2 -']);
  },
);

test('after a gap in the history, handlers receive the difference', async () => {
  let watches = 0;
  /** The first watch fails as if its reader had been too slow. */
  const breaking = (store: Store): Store => ({
    ...far(store),
    watch(range, options) {
      watches += 1;
      if (watches > 1) return store.watch(range, options);
      return broken(store);
    },
  });
  async function* broken(store: Store): AsyncGenerator<WatchBatch> {
    yield { events: [], revision: 0 };
    await put('a', 'new');
    await remove('a', 'old');
    await store.compact(await store.revision());
    throw new StoreError('Compacted', 'gone');
  }
  const { objects, put, remove } = open(breaking);
  await put('a', 'old');
  const received: string[] = [];
  objects.onChange(({ current, previous }) =>
    received.push(current === undefined ? `-${previous?.metadata.name}` : `+${current.metadata.name}`),
  );
  await turn();
  await turn();

  expect(received).toEqual(['+old', '-old', '+new']);
  expect(watches).toBe(2);
});

test('subscriptions receive the removal of a withdrawn kind’s objects, and those of its next definition', async () => {
  const { server, objects, put } = open();
  await put('a', 'x');
  const seen: string[] = [];
  using _subscription = objects.onChange(({ key, current }) =>
    seen.push(`${key.split('/').at(-1)} ${current === undefined ? 'gone' : 'there'}`),
  );
  server.withdraw(KIND);
  expect(seen).toEqual(['x there', 'x gone']);
  expect(() => objects.getNow('a', 'x')).toThrow('no such kind is registered');
  server.register(KIND);
  expect(seen).toEqual(['x there', 'x gone', 'x there']);
  await put('a', 'y');
  await turn();
  expect(seen.at(-1)).toBe('y there');
});

test.each([
  ['that is loading', loading, false],
  ['in this process', (store: Store) => store, true],
  ['elsewhere', far, false],
])('an index over a store %s says whether it is complete, and when it is', async (_, view, isCompleteAtOnce) => {
  const { objects, put, server } = open(view);
  await put('a', 'x');
  const index = objects.index('all', () => ['all']);
  expect(index.isComplete).toBe(isCompleteAtOnce);
  await index.completed();
  expect(index.isComplete).toBe(true);
  expect(names(index.get('all'))).toEqual(['a/x']);
  server[Symbol.dispose]();
});
