import { describe, expect, onTestFinished, test } from 'vitest';
import { settle } from '../../base/index.ts';
import {
  type Client,
  ConfigMap,
  InformerFactory,
  type ObjectSelection,
  jsonPatch,
  type Kind,
  type KubernetesObject,
  mergePatch,
  Pod,
  index,
  tally,
} from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { HeldWatches } from '../testing/held-watches.ts';
import { FreshCache } from './fresh-cache.ts';
import { FreshObjects } from './fresh-objects.ts';

interface Fixture<T extends KubernetesObject> {
  readonly objects: FreshObjects<T>;
  readonly client: Client;
  /** A second client, whose writes this app only sees through the watch. */
  readonly others: Client;
  readonly watches: HeldWatches;
}

async function start<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection = {}): Promise<Fixture<T>> {
  const cluster = await TestCluster.start();
  const watches = new HeldWatches(cluster.transport('in process'));
  const client = cluster.clientOver(watches);
  const informers = new InformerFactory(client);
  const informer = informers.informer(kind, where);
  const cache = new FreshCache(informer, { clock: client.clock, where });
  const objects = new FreshObjects(kind, cache, { client, fieldManager: 'test', caches: [cache] });
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await informers.synced();
  onTestFinished(async () => {
    stop.abort();
    watches.release();
    await running;
    await cluster[Symbol.asyncDispose]();
  });
  return { objects, client, others: cluster.client(), watches };
}

const namespace = 'default';
const versions = tally(ConfigMap, {
  valueOf: ({ metadata }) => (metadata.name === 'kube-root-ca.crt' ? undefined : metadata.namespace),
  groupOf: ({ data }) => data?.['v'] ?? '',
});
const pod = { metadata: { name: 'p', namespace }, spec: { containers: [{ name: 'c', image: 'i' }] } };

function names(objects: FreshObjects<ConfigMap>): string[] {
  return objects
    .list({ namespace })
    .map(({ metadata, data }) => `${metadata.name}=${data?.['v'] ?? ''}`)
    .sort();
}

describe('reads after own writes', () => {
  test('see creates, changes and deletes before the watch delivers them, and the same afterwards', async () => {
    const { objects, watches } = await start(ConfigMap);
    watches.hold();
    await objects.create({ metadata: { name: 'a', namespace }, data: { v: '1' } });
    await objects.create({ metadata: { name: 'b', namespace }, data: { v: '1' } });
    await objects.create({ metadata: { name: 'c', namespace }, data: { v: '1' } });
    await objects.update({ metadata: { name: 'a', namespace }, data: { v: '2' } });
    await objects.patch('default/b', mergePatch({ data: { v: '3' } }));
    expect(await objects.delete('default/c')).toBe(true);
    await objects.apply({ metadata: { name: 'd', namespace }, data: { v: '4' } });
    const expected = ['a=2', 'b=3', 'd=4'];

    expect(names(objects)).toEqual(expected);
    expect(objects.get('default/a')?.data).toEqual({ v: '2' });
    expect(objects.get('default/c')).toBeUndefined();
    const counts = [
      ['2', 1],
      ['3', 1],
      ['4', 1],
    ];
    expect([...objects.counts(versions, namespace)].sort()).toEqual(counts);

    watches.release();
    await settle();
    expect(names(objects)).toEqual(expected);
    expect([...objects.counts(versions, namespace)].sort()).toEqual(counts);
    expect(objects.get('default/c')).toBeUndefined();
  });

  test('do not go back when the watch is behind', async () => {
    const { objects, others, watches } = await start(ConfigMap);
    await objects.create({ metadata: { name: 'a', namespace }, data: { v: '1' } });
    await settle();
    watches.hold();
    await others.core.v1.configmaps.namespace(namespace).update({ metadata: { name: 'a' }, data: { v: '2' } });
    await objects.patch('default/a', mergePatch({ data: { w: '3' } }));

    expect(objects.get('default/a')?.data).toEqual({ v: '2', w: '3' });
    const seen: unknown[] = [];
    watches.release();
    for (let turn = 0; turn < 20; turn++) {
      await Promise.resolve();
      seen.push(objects.get('default/a')?.data);
    }
    expect(new Set(seen.map((data) => JSON.stringify(data)))).toEqual(new Set(['{"v":"2","w":"3"}']));
  });

  test('see later changes by others as soon as the watch delivers them', async () => {
    const { objects, others } = await start(ConfigMap);
    await objects.create({ metadata: { name: 'a', namespace }, data: { v: '1' } });
    await others.core.v1.configmaps.namespace(namespace).update({ metadata: { name: 'a' }, data: { v: '2' } });
    await settle();
    expect(objects.get('default/a')?.data).toEqual({ v: '2' });

    await others.core.v1.configmaps.namespace(namespace).delete('a');
    await settle();
    expect(objects.get('default/a')).toBeUndefined();
    expect(objects.list({ namespace }).map(({ metadata }) => metadata.name)).not.toContain('a');
  });

  test('see a new object under the name of a deleted one', async () => {
    const { objects, watches } = await start(ConfigMap);
    const first = await objects.create({ metadata: { name: 'a', namespace }, data: { v: '1' } });
    await settle();
    watches.hold();
    await objects.delete('default/a');
    const second = await objects.create({ metadata: { name: 'a', namespace }, data: { v: '2' } });

    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(objects.get('default/a')?.metadata.uid).toBe(second.metadata.uid);
    expect(names(objects)).toEqual(['a=2']);
    watches.release();
    await settle();
    expect(names(objects)).toEqual(['a=2']);
  });

  test('see a terminating object as such, and one that is deleted at once as gone', async () => {
    const { objects, watches } = await start(Pod);
    await objects.create({ ...pod, spec: { ...pod.spec, nodeName: 'n' } });
    await objects.create({ ...pod, metadata: { name: 'q', namespace } });
    await settle();
    watches.hold();
    await objects.delete('default/p');
    await objects.delete('default/q', { gracePeriodSeconds: 0 });

    expect(objects.get('default/p')?.metadata.deletionTimestamp).toBeDefined();
    expect(objects.get('default/q')).toBeUndefined();
    watches.release();
    await settle();
    expect(objects.list({ namespace }).map(({ metadata }) => metadata.name)).toEqual(['p']);
  });

  test('see an object that lost its last finalizer as gone', async () => {
    const { objects, watches } = await start(ConfigMap);
    await objects.create({ metadata: { name: 'a', namespace, finalizers: ['example.com/x'] } });
    await objects.delete('default/a');
    watches.hold();
    expect(objects.get('default/a')?.metadata.deletionTimestamp).toBeDefined();
    await objects.patch('default/a', mergePatch({ metadata: { finalizers: [] } }));
    expect(objects.get('default/a')).toBeUndefined();
    watches.release();
    await settle();
    expect(objects.get('default/a')).toBeUndefined();
  });

  test('do not see dry runs', async () => {
    const { objects } = await start(ConfigMap);
    await objects.create({ metadata: { name: 'a', namespace } }, { dryRun: true });
    expect(objects.get('default/a')).toBeUndefined();
    await objects.create({ metadata: { name: 'a', namespace } });
    await objects.delete('default/a', { dryRun: true });
    expect(objects.get('default/a')).toBeDefined();
  });

  test('no longer see an object that stops matching the selection', async () => {
    const { objects, watches } = await start(Pod, { namespace, labelSelector: 'app', fieldSelector: 'spec.nodeName=' });
    await objects.create({ ...pod, metadata: { ...pod.metadata, labels: { app: 'a' } } });
    await objects.create({ ...pod, metadata: { name: 'q', namespace } });
    expect(objects.list().map(({ metadata }) => metadata.name)).toEqual(['p']);
    await settle();
    watches.hold();
    await objects.patch('default/p', jsonPatch([{ op: 'remove', path: '/metadata/labels/app' }]));
    expect(objects.get('default/p')).toBeUndefined();
    watches.release();
    await settle();
    expect(objects.list()).toEqual([]);
  });
});

describe('deleting', () => {
  test('returns whether that very object was there', async () => {
    const { objects } = await start(ConfigMap);
    const { metadata } = await objects.create({ metadata: { name: 'a', namespace } });
    expect(await objects.delete('default/none')).toBe(false);
    expect(await objects.delete('default/a', { preconditions: { uid: 'other' } })).toBe(false);
    expect(objects.get('default/a')).toBeDefined();
    expect(await objects.delete('default/a', { preconditions: { uid: metadata.uid } })).toBe(true);
  });

  test('hides an object that turns out to be gone already', async () => {
    const { objects, others, watches } = await start(ConfigMap);
    await objects.create({ metadata: { name: 'a', namespace } });
    await settle();
    watches.hold();
    await others.core.v1.configmaps.namespace(namespace).delete('a');
    expect(objects.get('default/a')).toBeDefined();
    expect(await objects.delete('default/a')).toBe(false);
    expect(objects.get('default/a')).toBeUndefined();
  });
});

describe('looking up', () => {
  test('finds by namespace, controller, index and labels, in the cache and among own writes', async () => {
    const { objects, watches } = await start(Pod);
    const byImage = index(Pod, ({ spec }) => spec?.containers.map(({ image = '' }) => image));
    const owner = (uid: string): object[] => [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }];
    const create = (name: string, uid: string, labels: Record<string, string>): Promise<unknown> =>
      objects.create({ ...pod, metadata: { name, namespace, labels, ownerReferences: owner(uid) as never } });
    await create('a', 'u1', { app: 'web' });
    await create('b', 'u2', { app: 'web', tier: 'front' });
    await settle();
    watches.hold();
    await create('c', 'u1', { app: 'db' });
    await objects.patch('default/b', mergePatch({ metadata: { ownerReferences: owner('u1') } }));
    await objects.patch('default/a', mergePatch({ metadata: { labels: { app: 'db' } } }));

    const found = (query: Parameters<typeof objects.list>[0]): string[] =>
      objects
        .list(query)
        .map(({ metadata }) => metadata.name)
        .sort();
    for (let round = 0; round < 2; round++) {
      expect(found({ controlledBy: 'u1' })).toEqual(['a', 'b', 'c']);
      expect(found({ controlledBy: 'u2' })).toEqual([]);
      expect(found({ namespace, labelSelector: { app: 'db' } })).toEqual(['a', 'c']);
      expect(found({ labelSelector: 'app in (web),tier' })).toEqual(['b']);
      expect(found({ labelSelector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } })).toEqual([
        'a',
        'c',
      ]);
      expect(found({ labelSelector: {} })).toEqual(['a', 'b', 'c']);
      expect(found({ namespace, controlledBy: 'u1', labelSelector: 'app=db' })).toEqual(['a', 'c']);
      expect(found({ namespace: 'other', controlledBy: 'u1' })).toEqual([]);
      expect(objects.byIndex(byImage, 'i')).toHaveLength(3);
      expect(objects.byIndex(byImage, 'other')).toEqual([]);
      expect(found({ namespace: 'other' })).toEqual([]);
      watches.release();
      await settle();
    }
    expect(() => objects.list({ labelSelector: 'a in b' })).toThrow('Cannot select by labels "a in b"');
  });

  test('refuses an index of another kind', async () => {
    const { objects } = await start(Pod);
    const byKey = index(ConfigMap, ({ data }) => Object.keys(data ?? {}));
    expect(() => objects.byIndex(byKey as never, 'a')).toThrow('Cannot look up v1 pods by an index of v1 configmaps');
    // @ts-expect-error: the compiler refuses it as well
    expect(() => objects.byIndex(byKey, 'a')).toThrow();
  });
});

test('updating an object from the cache keeps the managed fields that the cache has dropped', async () => {
  const { objects, others } = await start(ConfigMap);
  await objects.apply({ metadata: { name: 'a', namespace }, data: { v: '1' } });
  await settle();
  const cached = objects.get('default/a')!;
  await objects.update({
    ...cached,
    metadata: { ...cached.metadata, managedFields: undefined },
    data: { v: '1', w: '2' },
  });

  const stored = await others.core.v1.configmaps.namespace(namespace).get('a');
  expect(stored.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
    'test Apply',
    'keelson Update',
  ]);
});
