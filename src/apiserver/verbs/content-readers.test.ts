import { expect, test } from 'vitest';
import { StoreError, type Store } from '../../store/index.ts';
import { KindServer } from '../testing/kind-server.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const headers = { 'content-type': 'application/json' };
const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });

/** Makes the store answer only reads that accept the state of a replica, like a store without a quorum. */
function loseQuorum(store: Store): void {
  const own = { get: store.get.bind(store), range: store.range.bind(store), revision: store.revision.bind(store) };
  const refused = (): Promise<never> => Promise.reject(new StoreError('Unavailable', 'no quorum'));
  Object.assign(store, {
    isNewest: false,
    get: (...[key, options]: Parameters<Store['get']>) =>
      options?.notOlderThan === undefined ? refused() : own.get(key, options),
    range: (...[range, options]: Parameters<Store['range']>) =>
      options?.notOlderThan === undefined ? refused() : own.range(range, options),
    revision: (options: Parameters<Store['revision']>[0]) =>
      options?.notOlderThan === undefined ? refused() : own.revision(options),
  });
}

test('reads that accept an older version are answered without a quorum', async () => {
  const server = new KindServer();
  const made = await server.send('POST', COLLECTION, { headers, body });
  const version = made.json().metadata.resourceVersion as string;
  loseQuorum(server.objects.store);
  const codeOf = async (query: string): Promise<number> => (await server.get(query)).code;

  for (const any of ['0', version]) {
    expect(await codeOf(`${COLLECTION}?resourceVersion=${any}`)).toBe(200);
    expect(await codeOf(`${COLLECTION}/a?resourceVersion=${any}`)).toBe(200);
    const match = `resourceVersion=${any}&resourceVersionMatch=NotOlderThan`;
    expect(await codeOf(`${COLLECTION}?${match}`)).toBe(200);
  }
  for (const newest of [COLLECTION, `${COLLECTION}/a`]) expect(await codeOf(newest)).toBe(503);
});

test('a watch without a version, or with 0, begins with the current state', async () => {
  const server = new KindServer();
  await server.send('POST', COLLECTION, { headers, body });
  loseQuorum(server.objects.store);
  const firstOf = async (query: string): Promise<string> => {
    const answer = await server.answer('GET', `${COLLECTION}?watch=1&${query}`);
    if (answer.type !== 'watch') return answer.type;
    for await (const [first] of answer.events) return first?.type ?? '';
    return 'nothing';
  };

  expect(await firstOf('')).toBe('ADDED');
  expect(await firstOf('resourceVersion=0')).toBe('ADDED');
  const consistent = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  expect(await firstOf(consistent)).toBe('ERROR');
  expect(await firstOf(`${consistent}&resourceVersion=0`)).toBe('ADDED');
});
