import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Client, mergePatch } from '../../client/index.ts';
import { resource } from '../../kit/index.ts';
import { startCluster } from '../../testing/index.ts';
import { replicaSetController } from '../replicaset/index.ts';
import { eventsIn, run, startWith } from '../testing/controller-cluster.ts';
import { resourceQuotaController } from './resource-quota-controller.ts';

type Amounts = Readonly<Record<string, string>>;

const coreOf = ({ core }: Client) => core.v1;

async function create(client: Client, hard: Amounts, spec: object = {}): Promise<void> {
  await coreOf(client)
    .resourcequotas.namespace('default')
    .create({ metadata: { name: 'q' }, spec: { hard, ...spec } });
}

async function status(client: Client): Promise<unknown> {
  return (await coreOf(client).resourcequotas.namespace('default').get('q')).status;
}

const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }], ...spec },
});

test('a quota is counted when it is created or changed and when a counted object is deleted', async () => {
  await using cluster = await startWith(resourceQuotaController());
  const { client } = cluster;
  const pods = coreOf(client).pods.namespace('default');
  await pods.create(pod('a'));
  await create(client, { pods: '5', 'requests.cpu': '5', secrets: '1' });
  await cluster.settle();
  expect(await status(client)).toEqual({
    hard: { pods: '5', 'requests.cpu': '5', secrets: '1' },
    used: { pods: '1', 'requests.cpu': '1', secrets: '0' },
  });

  await pods.create(pod('b'));
  await pods.status.patch('a', mergePatch({ status: { phase: 'Succeeded' } }));
  await cluster.settle();
  expect(await status(client)).toMatchObject({ used: { pods: '1', 'requests.cpu': '1' } });

  await coreOf(client)
    .resourcequotas.namespace('default')
    .patch('q', mergePatch({ spec: { hard: { secrets: null, 'count/pods': '9' } } }));
  await cluster.settle();
  expect(await status(client)).toEqual({
    hard: { 'count/pods': '9', pods: '5', 'requests.cpu': '5' },
    used: { 'count/pods': '2', pods: '1', 'requests.cpu': '1' },
  });

  await pods.delete('b');
  await cluster.settle();
  expect(await status(client)).toMatchObject({ used: { 'count/pods': '1', pods: '0', 'requests.cpu': '0' } });
  expect(cluster.problems).toEqual([]);
});

test('only objects in the scopes of a quota are counted', async () => {
  await using cluster = await startWith(resourceQuotaController());
  const { client } = cluster;
  const pods = coreOf(client).pods.namespace('default');
  await pods.create(pod('a'));
  await pods.create(pod('b', { activeDeadlineSeconds: 60 }));
  await create(client, { pods: '5' }, { scopes: ['Terminating'] });
  await cluster.settle();
  expect(await status(client)).toMatchObject({ used: { pods: '1' } });
});

test('a wrong count is corrected at the next resync', async () => {
  await using cluster = await startWith(resourceQuotaController());
  const { client } = cluster;
  await create(client, { configmaps: '5' });
  await cluster.settle();
  const quotas = coreOf(client).resourcequotas.namespace('default');
  await quotas.status.patch('q', mergePatch({ status: { used: { configmaps: '4' } } }));
  await cluster.settle();
  expect(await status(client)).toMatchObject({ used: { configmaps: '4' } });

  await cluster.clock.advance('5m');
  await cluster.settle();
  expect(await status(client)).toMatchObject({ used: { configmaps: '0' } });
});

test('objects of kinds that are defined later are counted', async () => {
  const Cache = resource('cache.example.dev/v1', 'Cache', { spec: z.object({}) });
  const settings = { scheduler: false, nodes: 0, seed: 'quota' } as const;
  await using cluster = await startCluster({
    ...settings,
    controllers: (builtIn) => builtIn.filter(({ name }) => name === 'resourcequota'),
    admission: { disable: ['ServiceAccount'] },
  });
  const { client } = cluster;
  await create(client, { 'count/caches.cache.example.dev': '1' });
  await cluster.settle();
  expect(await status(client)).toEqual({ hard: { 'count/caches.cache.example.dev': '1' } });
  await cluster.install(Cache);
  await cluster.settle();
  expect(await status(client)).toMatchObject({ used: { 'count/caches.cache.example.dev': '0' } });

  const caches = client.kind(Cache).namespace('default');
  await caches.create({ metadata: { name: 'a' }, spec: {} });
  await expect(caches.create({ metadata: { name: 'b' }, spec: {} })).rejects.toMatchObject({
    message:
      'caches.cache.example.dev "b" is forbidden: exceeded quota: q, requested: count/caches.cache.example.dev=1, ' +
      'used: count/caches.cache.example.dev=1, limited: count/caches.cache.example.dev=1',
  });
  await caches.delete('a');
  await cluster.settle();
  await caches.create({ metadata: { name: 'b' }, spec: {} });
  expect(cluster.problems).toEqual([]);
});

test('devices that claims request are counted by class, and by the extended resource of the class', async () => {
  await using cluster = await startWith(resourceQuotaController());
  const { client } = cluster;
  const { deviceclasses, resourceclaims } = client.resource.v1;
  await deviceclasses.create({ metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } });
  const byClass = 'gpu.deviceclass.resource.k8s.io/devices';
  const byImplicitName = 'requests.deviceclass.resource.kubernetes.io/gpu';
  const byResource = 'requests.example.com/gpu';
  await create(client, { [byClass]: '9', [byImplicitName]: '9', [byResource]: '9' });
  await resourceclaims.namespace('default').create({
    metadata: { name: 'two' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count: 2 } }] } },
  });
  await cluster.settle();

  expect(await status(client)).toMatchObject({ used: { [byClass]: '2', [byImplicitName]: '2', [byResource]: '2' } });
  expect(cluster.problems).toEqual([]);
});

test('a ReplicaSet whose pods a quota rejects reports that, and continues when it can', async () => {
  await using cluster = await startWith(resourceQuotaController());
  const { client } = cluster;
  await create(client, { pods: '2' });
  await cluster.settle();
  await run(cluster, replicaSetController());
  const sets = client.apps.v1.replicasets.namespace('default');
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await sets.create({ metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: labels }, template } });
  await cluster.settle();

  const { status: of } = await sets.get('web');
  expect(of).toMatchObject({
    replicas: 2,
    conditions: [
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: expect.stringMatching(
          /^pods "web-\w{5}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2$/,
        ),
      },
    ],
  });
  expect((await eventsIn(client)).some((event) => event.includes('FailedCreate: Error creating: pods "web-'))).toBe(
    true,
  );

  await coreOf(client)
    .resourcequotas.namespace('default')
    .patch('q', mergePatch({ spec: { hard: { pods: '3' } } }));
  await cluster.clock.advance('20m');
  await cluster.settle();
  const after = await sets.get('web');
  expect([after.status?.replicas, after.status?.conditions]).toEqual([3, undefined]);
});
