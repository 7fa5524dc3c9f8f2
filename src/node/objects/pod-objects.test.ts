import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardLogger, SeededRandom, settle, VirtualClock } from '../../base/index.ts';
import {
  Client,
  mergePatch,
  type Node,
  type Observed,
  type Pod,
  type Transport,
  type TransportRequest,
} from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { podOf } from '../testing/pod-views.ts';
import { type ChangeDetection, openPodObjects, type PodObjects } from './index.ts';

const WEB = { kind: 'configmap', namespace: 'default', name: 'web' } as const;

let clock: VirtualClock;
let cluster: TestCluster;
/** Requests of the node: `get web`, `list web`, `watch web`. */
let requests: string[];
let changed: string[];
let annotations: Readonly<Record<string, string>>;
let objects: PodObjects;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await TestCluster.start({ clock });
  [requests, changed, annotations] = [[], [], {}];
});
afterEach(async () => {
  await objects[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

function open(strategy: ChangeDetection): void {
  const client = new Client(noted(cluster.transport('in process')), { clock, random: new SeededRandom(1) });
  const node = { metadata: { name: 'n', annotations } } as Partial<Observed<Node>> as Observed<Node>;
  objects = openPodObjects(strategy, {
    client,
    clock,
    random: new SeededRandom(1),
    log: discardLogger,
    node: () => node,
    changed: (uid) => changed.push(uid),
  });
}

function noted(transport: Transport): Transport {
  return {
    ...(transport.isLocal === undefined ? {} : { isLocal: transport.isLocal }),
    send: (request) => {
      const url = new URL(request.path, 'https://server');
      const name = url.searchParams.get('fieldSelector')?.slice('metadata.name='.length);
      const verb = url.searchParams.has('watch') ? 'watch' : 'list';
      requests.push(name === undefined ? `get ${url.pathname.split('/').at(-1)}` : `${verb} ${name}`);
      return transport.send(request);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const configMaps = (): ReturnType<Client['core']['v1']['configmaps']['namespace']> =>
  cluster.client().core.v1.configmaps.namespace('default');
const write = async (text: string): Promise<void> => {
  await configMaps().patch('web', mergePatch({ data: { text } }));
  await settle();
};
const textOf = async (): Promise<string | undefined> => (await objects.get(WEB))?.data?.['text'];

function podWith(uid: string, names: readonly string[], generation = 1): Observed<Pod> {
  const volumes = names.map((name) => ({ name, configMap: { name } }));
  return podOf({ metadata: { name: uid, namespace: 'default', uid, generation }, spec: { containers: [], volumes } });
}

test('with Watch, pods share one watch of an object, hear of its changes, and end it with the last of them', async () => {
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' } });
  open('Watch');
  objects.use(podWith('a', ['web']));
  objects.use(podWith('b', ['web']));
  objects.use(podWith('b', ['web']));
  expect(await textOf()).toBe('1');
  await write('2');
  expect(changed).toEqual(['a', 'b']);
  expect([await textOf(), await textOf()]).toEqual(['2', '2']);
  expect(requests.filter((each) => each.startsWith('watch'))).toEqual(['watch web']);
  expect(requests.filter((each) => each.startsWith('get'))).toEqual([]);
  objects.release('a');
  await write('3');
  expect(changed).toEqual(['a', 'b', 'b']);
  objects.release('b');
  await write('4');
  expect(changed).toEqual(['a', 'b', 'b']);
  expect(await textOf()).toBe('4'); // read from the server
  expect(requests.filter((each) => each.startsWith('get'))).toEqual(['get web']);
});

test('with Watch, objects that come and go are seen, and a pod may refer to others later', async () => {
  open('Watch');
  objects.use(podWith('a', ['other']));
  objects.use(podWith('a', ['web'], 2));
  expect(await textOf()).toBeUndefined();
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' } });
  await settle();
  expect(await textOf()).toBe('1');
  await configMaps().delete('web');
  await settle();
  expect(await textOf()).toBeUndefined();
  expect(changed).toEqual(['a', 'a']);
});

test('with Watch, an immutable object is watched no longer', async () => {
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' }, immutable: true });
  open('Watch');
  objects.use(podWith('a', ['web']));
  expect(await textOf()).toBe('1');
  await configMaps().delete('web');
  await settle();
  expect([await textOf(), changed]).toEqual(['1', []]);
});

test('with Watch, the watch of an object that is not read for five minutes ends, until it is read again', async () => {
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' } });
  open('Watch');
  objects.use(podWith('a', ['web']));
  expect(await textOf()).toBe('1');
  await clock.advance('7m');
  await write('2');
  expect(changed).toEqual([]);
  expect(await textOf()).toBe('2');
  await write('3');
  expect([await textOf(), changed]).toEqual(['3', ['a']]);
});

test('with Watch, a server that does not answer is waited for, and then named', async () => {
  open('Watch');
  const send = ({ signal }: TransportRequest): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('given up'))));
  const client = new Client({ send, [Symbol.asyncDispose]: async () => undefined }, { clock });
  await using silent = openPodObjects('Watch', {
    client,
    clock,
    random: new SeededRandom(1),
    log: discardLogger,
    node: () => undefined,
    changed: () => undefined,
  });
  silent.use(podWith('a', ['web']));
  const read = silent.get(WEB).catch((error: Error) => error.message);
  await clock.advance('10s');
  expect(await read).toBe('failed to sync configmap cache: timed out waiting for the condition');
});

test('with Cache, an object is read again after a minute, or as the node says, and for each pod that is new', async () => {
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' } });
  open('Cache');
  objects.use(podWith('a', ['web']));
  expect(await textOf()).toBe('1');
  await write('2');
  await clock.advance('59s');
  expect(await textOf()).toBe('1');
  await clock.advance('1s');
  expect(await textOf()).toBe('2');
  await write('3');
  objects.use(podWith('b', ['web']));
  expect(await textOf()).toBe('3');
  expect(requests.length).toBe(3);
});

test('with Cache, the node says how long objects serve', async () => {
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' } });
  annotations = { 'node.alpha.kubernetes.io/ttl': '10' };
  open('Cache');
  objects.use(podWith('a', ['web']));
  expect(await textOf()).toBe('1');
  await write('2');
  await clock.advance('10s');
  expect(await textOf()).toBe('2');
});

test('with Get, an object is read whenever it is needed', async () => {
  await configMaps().create({ metadata: { name: 'web' }, data: { text: '1' } });
  open('Get');
  objects.use(podWith('a', ['web']));
  expect(await textOf()).toBe('1');
  await write('2');
  expect(await textOf()).toBe('2');
  expect(requests).toEqual(['get web', 'get web']);
});
