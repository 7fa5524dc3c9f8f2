import { mergePatch } from 'keelson';
import { startCluster, type TestCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { SampleDB, sampleDbApp } from './sampledb.ts';

async function start(): Promise<TestCluster> {
  const cluster = await startCluster({ startAt: '2026-01-01T00:00:00Z' });
  await cluster.run(sampleDbApp());
  return cluster;
}

test('a database is set up, backed up, upgraded, and leaves a snapshot behind', async () => {
  await using cluster = await start();
  const { client, clock } = cluster;
  const databases = client.kind(SampleDB).namespace('default');
  const jobs = client.batch.v1.jobs.namespace('default');
  const succeeded = async (name: string): Promise<number> => (await jobs.get(name)).status?.succeeded ?? 0;

  const backup = { schedule: '0 3 * * *', keep: 2 };
  await databases.create({ metadata: { name: 'example-database' }, spec: { version: '1.0', instances: 2, backup } });
  await clock.advance('1m');
  await cluster.settle();
  expect((await databases.get('example-database')).status).toMatchObject({
    version: '1.0',
    ready: 2,
    conditions: [{ type: 'Ready', status: 'True' }],
  });
  expect(await succeeded('example-database-setup')).toBe(1);
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  expect((await claims.list()).items.map(({ metadata }) => metadata.name)).toEqual([
    'data-example-database-0',
    'data-example-database-1',
  ]);

  await clock.advance('3d');
  await cluster.settle();
  const backups = (await jobs.list()).items.filter(({ metadata }) => metadata.name.includes('-backup-'));
  expect(backups.map(({ status }) => status?.succeeded)).toEqual([1, 1]);
  const [pod] = (await client.core.v1.pods.namespace('default').list({ labelSelector: 'task=backup' })).items;
  expect(pod?.spec?.containers[0]?.envFrom).toEqual([
    { configMapRef: { name: 'example-database' } },
    { secretRef: { name: 'example-database-credentials' } },
  ]);

  await databases.patch('example-database', mergePatch({ spec: { version: '2.0' } }));
  await cluster.settle();
  const sets = client.apps.v1.statefulsets.namespace('default');
  const image = async (): Promise<string | undefined> =>
    (await sets.get('example-database')).spec?.template.spec?.containers[0]?.image;
  expect(await image()).toBe('sampledb:1.0'); // until the upgrade is done
  await clock.advance('1m');
  await cluster.settle();
  expect(await image()).toBe('sampledb:2.0');
  expect((await databases.get('example-database')).status?.version).toBe('2.0');

  await databases.delete('example-database');
  await cluster.settle();
  expect((await databases.get('example-database')).metadata.deletionTimestamp).toBeDefined();
  await clock.advance('2m');
  await cluster.settle();
  await expect(databases.get('example-database')).rejects.toMatchObject({ code: 404 });
  await expect(sets.get('example-database')).rejects.toMatchObject({ code: 404 });
  expect((await claims.list()).items).toEqual([]);
  expect(cluster.problems).toEqual([]);
});
