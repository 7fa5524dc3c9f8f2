import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StatusError } from '../api/client.ts';
import { VirtualClock } from '../base/index.ts';
import type { Client } from './client.ts';
import { ConfigMap, Deployment } from './generated/kinds.ts';
import { namespacedKind } from './kind.ts';
import type { ConfigMap as ConfigMapType } from '../api/types/core/v1.d.ts';
import { jsonPatch, mergePatch, strategicPatch } from './resource/patch.ts';
import type { ResourceClient } from './resource/resource-client.ts';
import { TestCluster } from './testing/test-cluster.ts';

describe.each(['in process', 'https', 'http/1.1'] as const)('Client %s', (type) => {
  const clock = new VirtualClock();
  let cluster: TestCluster;
  let client: Client;
  let configMaps: ResourceClient<ConfigMapType>;
  const stop = new AbortController();
  const { signal } = stop;

  beforeAll(async () => {
    cluster = await TestCluster.start({ clock, seed: type });
    client = cluster.client(type);
    await client.core.v1.namespaces.create({ metadata: { name: 'here' } });
    configMaps = client.core.v1.configmaps.namespace('here');
  });

  afterAll(async () => {
    stop.abort();
    await cluster[Symbol.asyncDispose]();
  });

  test('creates, gets, updates and deletes', async () => {
    const made = await configMaps.create({ metadata: { name: 'life' }, data: { a: '1' } });
    expect(made).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'life', namespace: 'here' } });

    made.data = { a: '2' };
    const changed = await configMaps.update(made);
    expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    expect(await configMaps.get('life')).toEqual(changed);

    expect(await configMaps.delete('life')).toBeUndefined();
    await expect(configMaps.get('life')).rejects.toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "life" not found',
    });
  });

  test('an update that comes too late is a Conflict', async () => {
    const first = await configMaps.create({ metadata: { name: 'race' } });
    await configMaps.update({ ...first, data: { by: 'another' } });

    await expect(configMaps.update({ ...first, data: { by: 'us' } })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });

  test('an error carries the Status of the server, with its causes', async () => {
    const wrong = client.apps.v1.deployments.namespace('here').create({
      metadata: { name: 'wrong' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'c' } }, spec: { containers: [] } },
      },
    });

    const error: unknown = await wrong.catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(StatusError);
    const { status } = error as StatusError;
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { group: 'apps', kind: 'Deployment', name: 'wrong' },
    });
    expect(status.details?.causes?.map(({ field }) => field)).toContain('spec.template.spec.containers');
  });

  test('patches with each content type', async () => {
    await configMaps.create({ metadata: { name: 'patched' }, data: { a: '1', b: '1' } });

    await configMaps.patch('patched', mergePatch({ data: { a: null, c: '1' } }));
    await configMaps.patch('patched', jsonPatch([{ op: 'replace', path: '/data/b', value: '2' }]));
    const patched = await configMaps.patch('patched', strategicPatch({ data: { d: '1' } }));

    expect(patched.data).toEqual({ b: '2', c: '1', d: '1' });
  });

  test('a dry run changes nothing', async () => {
    const tried = await configMaps.create({ metadata: { name: 'tried' } }, { dryRun: true });

    expect(tried.metadata.name).toBe('tried');
    await expect(configMaps.get('tried')).rejects.toMatchObject({ code: 404 });
  });

  test('strict field validation rejects unknown fields', async () => {
    const odd = { metadata: { name: 'odd' }, dada: {} } as ConfigMapType;

    await expect(configMaps.create(odd, { fieldValidation: 'Strict' })).rejects.toMatchObject({ code: 400 });
  });

  test('lists page by page', async () => {
    await client.core.v1.namespaces.create({ metadata: { name: 'paged' } });
    const paged = client.core.v1.configmaps.namespace('paged');
    for (let index = 0; index < 7; index++) await paged.create({ metadata: { name: `item-${index}` } });

    const sizes: number[] = [];
    for await (const page of paged.pages({ limit: 3 })) sizes.push(page.items.length);
    const names: string[] = [];
    for await (const item of paged.items({ limit: 2 })) names.push(item.metadata.name);
    const all = await paged.list({ limit: 3 });

    expect(sizes).toEqual([3, 3, 1]);
    expect(names).toEqual(['item-0', 'item-1', 'item-2', 'item-3', 'item-4', 'item-5', 'item-6']);
    expect(all.items).toHaveLength(7);
    expect(all.items[0]).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    expect(all.continue).toBeUndefined();
  });

  test('selects by labels and fields', async () => {
    await configMaps.create({ metadata: { name: 'red', labels: { color: 'red' } } });
    await configMaps.create({ metadata: { name: 'blue', labels: { color: 'blue' } } });
    const namesOf = async (selection: object): Promise<string[]> =>
      (await configMaps.list(selection)).items.map(({ metadata }) => metadata.name);

    expect(await namesOf({ labelSelector: { color: 'red' } })).toEqual(['red']);
    expect(await namesOf({ labelSelector: 'color in (red, blue)' })).toEqual(['blue', 'red']);
    expect(await namesOf({ fieldSelector: 'metadata.name=blue' })).toEqual(['blue']);
  });

  test('watches from a list without a gap', async () => {
    const { resourceVersion } = await configMaps.list();
    await configMaps.create({ metadata: { name: 'seen' } });
    await configMaps.patch('seen', mergePatch({ data: { a: '1' } }));
    await configMaps.delete('seen');

    const seen: string[] = [];
    for await (const event of configMaps.watch({ resourceVersion, signal })) {
      if (event.type === 'BOOKMARK') continue;
      seen.push(`${event.type} ${event.object.metadata.name}`);
      if (event.type === 'DELETED') break;
    }

    expect(seen).toEqual(['ADDED seen', 'MODIFIED seen', 'DELETED seen']);
  });

  test('a watch ends when the server ends it, and rejects when it is aborted', async () => {
    const { resourceVersion } = await configMaps.list();
    let isOver = false;
    const ended = configMaps.watch({ resourceVersion, timeoutSeconds: 60 }).next();
    void ended.finally(() => (isOver = true));
    while (!isOver) await clock.advance('60s'); // over a network the watch may reach the server a little later
    expect(await ended).toEqual({ value: undefined, done: true });

    const once = new AbortController();
    const watching = configMaps.watch({ resourceVersion, signal: once.signal }).next();
    once.abort(new Error('enough'));
    await expect(watching).rejects.toThrow('enough');
  });

  test('deletes a collection', async () => {
    await configMaps.create({ metadata: { name: 'one', labels: { group: 'gone' } } });
    await configMaps.create({ metadata: { name: 'two', labels: { group: 'gone' } } });

    await configMaps.deleteCollection({ labelSelector: { group: 'gone' } });

    expect((await configMaps.list({ labelSelector: { group: 'gone' } })).items).toEqual([]);
  });

  test('reads and writes subresources', async () => {
    const deployments = client.kind(Deployment).namespace('here');
    const labels = { app: 'scaled' };
    await deployments.create({
      metadata: { name: 'scaled' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });

    const scale = await deployments.scale.get('scaled');
    await deployments.scale.update({ ...scale, spec: { replicas: 3 } });
    await deployments.status.patch('scaled', mergePatch({ status: { observedGeneration: 7 } }));

    expect(await deployments.get('scaled')).toMatchObject({ spec: { replicas: 3 }, status: { observedGeneration: 7 } });
  });

  test('kinds are found by discovery', async () => {
    const secrets = await client.dynamic('v1', 'Secret');
    const made = await secrets.namespace('here').create({ metadata: { name: 'found' }, stringData: { a: 'b' } });

    expect(made['data']).toEqual({ a: 'Yg==' });
    await expect(client.dynamic('example.com/v1', 'Widget')).rejects.toThrow('the server does not serve it');
  });

  test('custom kinds work by value, and an unknown one is a 404', async () => {
    interface Widget {
      metadata?: { name?: string };
      spec: { size: number };
    }
    const Widget = namespacedKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets' });

    await expect(client.kind(Widget).namespace('here').get('a')).rejects.toMatchObject({ code: 404 });
  });

  test('metadata alone', async () => {
    await configMaps.create({ metadata: { name: 'big', labels: { only: 'metadata' } }, data: { a: 'x'.repeat(1000) } });

    const list = await configMaps.metadata().list({ labelSelector: { only: 'metadata' } });

    expect(list.items).toHaveLength(1);
    expect(list.items[0]).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'big' } });
    expect(list.items[0]).not.toHaveProperty('data');
  });

  test('an object that a verb returns belongs to the caller', async () => {
    const made = await configMaps.create({ metadata: { name: 'mine' } });
    made.data = { changed: 'here' };
    const got = await configMaps.get('mine');
    got.data = { changed: 'too' };

    expect((await configMaps.get('mine')).data).toBeUndefined();
  });

  test('paths that are not resources', async () => {
    expect(await client.text('/healthz')).toBe('ok');
    expect(await client.request({ method: 'GET', path: '/version' })).toMatchObject({ major: '1' });
    expect((await client.apis.version()).gitVersion).toMatch(/^v1\.36/);
  });
});

describe('a client refuses to send what would mean something else', () => {
  test.each([
    ['an empty name', (client: Client) => client.kind(ConfigMap).namespace('here').delete(''), 'the name is empty'],
    [
      'no namespace',
      (client: Client) => (client.kind(ConfigMap) as ResourceClient).delete('a'),
      'no namespace is given',
    ],
    ['an empty namespace', async (client: Client) => client.kind(ConfigMap).namespace(''), 'the name is empty'],
    [
      'a namespace where there is none',
      async (client: Client) => client.core.v1.nodes.namespace('here'),
      'they are cluster-scoped',
    ],
  ])('%s', async (_what, attempt, message) => {
    await using cluster = await TestCluster.start();

    await expect(attempt(cluster.client())).rejects.toThrow(message);
  });
});
