import { expect, onTestFinished, test } from 'vitest';
import { StatusError } from '../../api/client.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import type { Client, StorageVersionMigration } from '../../client/index.ts';
import { app } from '../../kit/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { storageVersionMigrator } from './storage-version-migrator.ts';

async function start(admission: readonly AdmissionPlugin[] = []): Promise<TestCluster> {
  const cluster = await startCluster({
    controllers: false,
    scheduler: false,
    nodes: 0,
    seed: 'migrations',
    startAt: '2026-01-01T00:00:00Z',
    runtimeConfig: ['storagemigration.k8s.io/v1beta1=true'],
    admission: { plugins: admission },
  });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  for (const name of ['a', 'b']) await maps.create({ metadata: { name } });
  await cluster.run(app('kube-controller-manager', [storageVersionMigrator()]));
  return cluster;
}

/** Called for every write of the migrator to a ConfigMap. */
function onRewrite(act: (name: string) => void | Promise<void>): AdmissionPlugin {
  return {
    name: 'OnRewrite',
    async validate({ resource, operation, name, user }) {
      if (resource.plural === 'configmaps' && operation === 'UPDATE' && user.name === 'kubernetes-admin')
        await act(name);
    },
  };
}

async function create(client: Client, name: string, resource = 'configmaps', group = ''): Promise<void> {
  await client.storagemigration.v1beta1.storageversionmigrations.create({
    metadata: { name },
    spec: { resource: { group, resource } },
  });
}

async function read(client: Client, name: string): Promise<NonNullable<StorageVersionMigration['status']>> {
  return (await client.storagemigration.v1beta1.storageversionmigrations.get(name)).status ?? {};
}

async function conditions(client: Client, name: string): Promise<string[]> {
  const { conditions: all = [] } = await read(client, name);
  return (all ?? []).map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
}

const DONE = [
  'Running=False MigrationCompleted: Migration completed',
  'Succeeded=True StorageVersionMigrationSucceeded: ',
];

test('every object is written once more, and the status contains the resourceVersion', async () => {
  const seen: string[] = [];
  const cluster = await start([onRewrite((name) => void seen.push(name))]);
  const { resourceVersion } = await cluster.client.core.v1.configmaps.list();

  await create(cluster.client, 'm');
  await cluster.settle();

  expect(await conditions(cluster.client, 'm')).toEqual(DONE);
  expect(Number((await read(cluster.client, 'm')).resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  expect(seen).toEqual(expect.arrayContaining(['a', 'b']));
});

test('an object that is written in between is left alone', async () => {
  let client: Client | undefined;
  const maps = () => client?.core.v1.configmaps.namespace('default');
  let isOther = false;
  const cluster = await start([
    onRewrite(async (name) => {
      if (name !== 'a' || isOther) return;
      isOther = true;
      await maps()?.delete('b');
      await maps()?.create({ metadata: { name: 'b' }, data: { new: 'yes' } });
    }),
  ]);
  client = cluster.client;

  await create(client, 'm');
  await cluster.settle();

  expect(await conditions(client, 'm')).toEqual(DONE);
  const { data, metadata } = await client.core.v1.configmaps.namespace('default').get('b');
  expect(data).toEqual({ new: 'yes' });
  expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain('storage-version-migrator-controller');
});

test('a retriable failure is retried, and another migration of the resource waits', async () => {
  let isDown = true;
  const cluster = await start([
    onRewrite(() => {
      if (isDown) throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message: 'not now' });
    }),
  ]);
  const { client, clock } = cluster;

  await create(client, 'first');
  await cluster.settle();
  await create(client, 'second');
  await clock.advance('1s');
  expect(await conditions(client, 'first')).toEqual(['Running=True MigrationRunning: The migration is running']);
  expect(await conditions(client, 'second')).toEqual([]);

  isDown = false;
  await clock.advance('20m');
  expect(await conditions(client, 'first')).toEqual(DONE);
  expect(await conditions(client, 'second')).toEqual(DONE);
});

test('an object that cannot be written makes the migration fail', async () => {
  const cluster = await start([
    onRewrite(() => {
      throw new StatusError({ code: 403, reason: 'Forbidden', message: 'never' });
    }),
  ]);

  await create(cluster.client, 'm');
  await cluster.settle();

  expect(await conditions(cluster.client, 'm')).toEqual([
    'Running=False MigrationCompleted: Migration completed',
    'Failed=True StorageVersionMigrationFailed: migration encountered unhandled error: never',
  ]);
});

test('an unserved resource is waited for one minute', async () => {
  const cluster = await start();

  await create(cluster.client, 'm', 'widgets', 'example.com');
  await cluster.clock.advance('50s');
  expect(await conditions(cluster.client, 'm')).toEqual(['Running=True MigrationRunning: The migration is running']);

  await cluster.clock.advance('5m');
  expect(await conditions(cluster.client, 'm')).toEqual([
    'Running=False MigrationCompleted: Migration completed',
    'Failed=True StorageVersionMigrationFailed: resource does not exist in discovery',
  ]);
});

test('a resource that cannot be written is rejected', async () => {
  const cluster = await start();

  await create(cluster.client, 'm', 'componentstatuses');
  await cluster.settle();

  expect((await conditions(cluster.client, 'm'))[1]).toBe(
    'Failed=True StorageVersionMigrationFailed: resource "/v1, Resource=componentstatuses" does not support discovery operations: [update patch list]',
  );
});
